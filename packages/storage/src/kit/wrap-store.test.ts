import { expect, test } from 'vitest';
import type { EventLog } from '../contract/log.ts';
import type { EventStore } from '../contract/store.ts';
import { memoryStore } from '../memory/memory-store.ts';
import { type StoreOverrides, wrapStore } from './wrap-store.ts';

const event = { id: 'a', kind: 'Note', parentId: undefined, text: '{"id":"a","kind":"Note"}' };

test('a wrapped store counts the appends of all logs, and everything else is that of the inner store', async () => {
  let appends = 0;
  await using inner = memoryStore();
  const counted = (log: EventLog): ReturnType<NonNullable<StoreOverrides['log']>> => ({
    append(events, options) {
      appends += 1;
      return log.append(events, options);
    },
  });
  await using store = wrapStore(inner, { log: counted });
  {
    await using log = await store.create('c', {});
    await log.append([event]);
  }
  await using again = await store.open('c');
  expect([await again.append([], { meta: 1 }), appends, again.epoch, (await inner.summary('c')).meta]).toEqual([
    [],
    2,
    2,
    1,
  ]);
  expect(Object.keys(again).toSorted()).toEqual(Object.keys(await inner.create('d', {})).toSorted());
});

test('disposing a wrapped store and its logs disposes the inner ones, unless that is replaced too', async () => {
  const ended: string[] = [];
  const inner = memoryStore();
  {
    await using store = wrapStore(inner, {
      [Symbol.asyncDispose]: async () => void ended.push('store'),
      log: (log) => ({
        async [Symbol.asyncDispose]() {
          ended.push('log');
          await log[Symbol.asyncDispose]();
        },
      }),
    });
    await using log = await store.create('c', {});
    expect(await log.head()).toBe(0);
  }
  expect(ended).toEqual(['log', 'store']);
  {
    await using store = wrapStore(inner, {});
    await store.open('c');
  }
  await expect(inner.summary('c')).rejects.toMatchObject({ code: 'closed' });
});

test('wrappers nest, and an optional member can be removed', async () => {
  await using inner = memoryStore();
  const order: string[] = [];
  const named = (name: string, store: EventStore): EventStore =>
    wrapStore(store, {
      facts: undefined,
      log: (log) => ({ head: async () => (order.push(name), log.head()) }),
      reader: (reader) => ({ head: async () => 1 + (await reader.head()) }),
    });
  const store = named('outer', named('inner', inner));
  const log = await store.create('c', {});
  expect([await log.head(), order]).toEqual([0, ['outer', 'inner']]);
  expect(await (await store.read('c')).head()).toBe(2);
  expect(['facts' in store, 'facts' in inner]).toEqual([false, true]);
});

test('values are read when they are used, from objects with private fields too', async () => {
  class Changing {
    #epoch = 0;
    get epoch(): number {
      return ++this.#epoch;
    }
    async head(): Promise<number> {
      return this.#epoch;
    }
  }
  const changing = new Changing() as unknown as EventLog;
  const store = wrapStore(memoryStore(), { open: async () => changing, log: () => ({ atomicity: 'all' }) });
  const log = await store.open('c');
  expect([await log.head(), log.epoch > log.epoch, await log.head(), log.atomicity]).toEqual([1, false, 3, 'all']);
});
