import { memoryStore, StorageError, type EventStore } from '@varve/storage';
import { expect, test } from 'vitest';
import { readiness } from './readiness.ts';

const unreadable = async (): Promise<never> => {
  throw new StorageError('io', 'postgres://secret cannot be reached.');
};

function started() {
  const [store, clock] = [memoryStore(), { now: 0 }];
  const parts: { list: EventStore['list'] } = { list: store.list.bind(store) };
  const { problem } = readiness({ list: async (query) => parts.list(query) }, () => clock.now);
  return { problem, parts, clock, list: parts.list };
}

test('a server is ready for 15 seconds after its store has answered', async () => {
  const { problem, parts, clock, list } = started();
  expect(await problem()).toBe(undefined);
  parts.list = unreadable;
  clock.now = 14_999;
  expect(await problem()).toBe(undefined);
  clock.now = 15_000;
  expect(await problem()).toBe('The store cannot be read.');
  parts.list = list;
  expect(await problem()).toBe(undefined);
});

test('a server whose store has never answered is not ready', async () => {
  const { problem, parts } = started();
  parts.list = unreadable;
  expect(await problem()).toBe('The store cannot be read.');
});

test('a store that hangs is asked once, and is ready when it answers', async () => {
  const { problem, parts, clock, list } = started();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let asked = 0;
  await problem();
  parts.list = async (query) => ((asked += 1), await opened, list(query));
  const probes = [problem(), problem()];
  expect(await Promise.all(probes)).toEqual([undefined, undefined]);
  clock.now = 20_000;
  const probe = problem();
  open();
  expect([await probe, asked]).toEqual([undefined, 1]);
});
