import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '@varve/agent';
import { createHost } from '@varve/host';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { copyLog } from '@varve/storage/maintenance';
import { sqliteStore } from '@varve/storage/sqlite';
import { postgresStore } from '@varve/storage-postgres';
import { describe, expect, test } from 'vitest';
import { expireLeases, freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';

const id = '0'.repeat(32);

function processOf(store: EventStore) {
  const looks: (() => void)[] = [];
  const every = (_ms: number, look: () => void): Disposable => {
    looks.push(look);
    return { [Symbol.dispose]: () => undefined };
  };
  const failures: unknown[] = [];
  const model = scriptedModel([{ text: 'I am awake.' }]);
  const agents = { support: defineAgent({ model, tools: [] }) };
  const onFailure = (error: unknown) => failures.push(error);
  const host = createHost({ store, agents, every, now: () => 5, onFailure, abandon: async () => undefined });
  return { store, host, model, failures, looks };
}

const postgres = async (url: string): Promise<EventStore> => postgresStore({ url });
const inDirectory = (): string => join(mkdtempSync(join(tmpdir(), 'varve-wakes-')), 'store');
const stores: Readonly<Record<string, () => EventStore | Promise<EventStore>>> = {
  memory: memoryStore,
  SQLite: async () => sqliteStore({ path: inDirectory() }),
  directory: async () => directoryStore({ path: inDirectory() }),
  ...(problem === undefined && { PostgreSQL: async () => postgres(await freshUrl()) }),
};

test.for(Object.entries(stores))('a copy of a conversation wakes at its times: %s', async ([, open]) => {
  await using store = await open();
  const origin = processOf(memoryStore());
  await origin.host.create({ agent: 'support', workspace: '/', id });
  await origin.host.wakeAt(id, { at: 5, message: 'Wake up.' });
  await origin.host.wakeAt(id, { at: 6, message: 'Later.' });
  await origin.host.cancelWake(id, await origin.host.wakeAt(id, { at: 4, message: 'Never.' }));
  await origin.host.close(AbortSignal.abort());
  await copyLog(await origin.store.read(id), store);
  const { host, model, looks, failures } = processOf(store);
  await using _ = host;
  await host.recover();
  const wakes = async () => (looks.forEach((look) => look()), host.wakes(id));
  await expect.poll(wakes, { timeout: 20_000 }).toMatchObject([{ message: 'Later.' }]);
  await host.use(id, ({ runs }) => runs.idle());
  expect([model.requests.length, failures]).toEqual([1, []]);
});

describe.skipIf(problem !== undefined)('conversations in PostgreSQL', () => {
  test('one of several processes wakes a conversation whose process ended', async () => {
    const url = await freshUrl();
    const open = async () => processOf(await postgres(url));
    const others = [await open(), await open(), await open()];
    for (const { host } of others) await host.recover();
    const first = await open();
    await first.host.create({ agent: 'support', workspace: '/', id });
    for (const [at, message] of [
      [5, 'Wake up.'],
      [6, 'Later.'],
    ] as const)
      await first.host.wakeAt(id, { at, message });
    const cancelled = await first.host.wakeAt(id, { at: 4, message: 'Never.' });
    expect(await first.host.cancelWake(id, cancelled)).toBe(true);
    await expireLeases(url, id);
    const wakes = async () => {
      for (const look of others.flatMap(({ looks }) => looks)) look();
      return others[0]?.host.wakes(id);
    };
    await expect.poll(wakes, { timeout: 20_000 }).toMatchObject([{ message: 'Later.' }]);
    const answered = () => others.map(({ model }) => model.requests.length).toSorted((one, other) => one - other);
    await expect.poll(answered, { timeout: 20_000 }).toEqual([0, 0, 1]);
    const texts = await Array.fromAsync((await first.store.read(id)).range(0), ({ text }) => text);
    const messages = texts.filter((text) => text.includes('"MessageEvent"') && text.includes('"source":"user"'));
    expect(messages).toEqual([expect.stringContaining('Wake up.')]);
    expect(others.flatMap(({ failures }) => failures)).toEqual([]);
    for (const { host, store } of [...others, first]) {
      await host.close(AbortSignal.abort());
      await store[Symbol.asyncDispose]();
    }
  });
});
