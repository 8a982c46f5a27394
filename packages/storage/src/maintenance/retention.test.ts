import { type EventStore, memoryStore, StorageError, type Stored, type Summary } from '@varve/storage';
import { applyRetention, planRetention } from '@varve/storage/maintenance';
import { array, assert, asyncProperty, integer, option, record } from 'fast-check';
import { expect, test } from 'vitest';
import { newEvent } from '../testing/events.ts';
import { conversationTrees, type RetentionLimits } from './plan-retention.ts';

/** Ids with their parents, in the order of their changes, one per millisecond. */
async function storeOf(...conversations: readonly (readonly [id: string, parent?: string])[]): Promise<EventStore> {
  let time = 0;
  const store = memoryStore({ now: () => time });
  for (const [id, parent] of conversations) {
    time += 1;
    await using log = await store.create(id, parent === undefined ? {} : { parent });
    await log.append([newEvent('a', { text: 'é'.repeat(5) })]);
  }
  return store;
}

async function idsOf(store: EventStore): Promise<readonly string[]> {
  return (await store.list()).items.map(({ id }) => id).toSorted();
}

const at = (now: number) => ({ now: () => now });

async function planned(store: EventStore, limits: RetentionLimits, now = 100) {
  const { remove, kept } = await planRetention(store, limits, at(now));
  return [...remove.map(({ members, reason }) => `${members.map(({ id }) => id).join('<')} ${reason}`), kept];
}

test('a plan names the trees to remove and the limits they exceed, and changes nothing', async () => {
  await using store = await storeOf(['a'], ['b'], ['c']);
  expect(await planned(store, {})).toEqual([3]);
  expect(await planned(store, { maxAgeMs: 98 })).toEqual(['a age', 2]);
  expect(await planned(store, { maxCount: 1 })).toEqual(['b count', 'a count', 1]);
  expect(await planned(store, { maxBytes: 20 })).toEqual(['a bytes', 2]);
  expect((await planRetention(store, { maxBytes: 29 })).keptBytes).toBe(20);
  expect(await planned(store, { maxCount: 2, maxAgeMs: 97 })).toEqual(['b age', 'a age', 1]);
  expect(await idsOf(store)).toEqual(['a', 'b', 'c']);
});

test('an unreadable log is reported, not removed because of maxBytes, and counted as far as it was read', async () => {
  await using store = await storeOf(['a'], ['b'], ['b1', 'b'], ['c']);
  const read = store.read.bind(store);
  store.read = async (id) => {
    const log = await read(id);
    const range = async function* range(): AsyncGenerator<Stored> {
      yield* log.range(0);
      throw new StorageError('corrupt', `Event 1 of conversation ${id} is missing.`);
    };
    return id === 'b' ? { ...log, range } : log;
  };
  const failed = [{ id: 'b', code: 'corrupt', message: 'Event 1 of conversation b is missing.' }];
  const plan = await planRetention(store, { maxBytes: 20 }, at(100));
  expect(plan).toMatchObject({ remove: [{ reason: 'bytes' }], kept: 3, keptBytes: 30, failed });
  expect(plan.remove[0]?.members).toMatchObject([{ id: 'a' }]);
  expect((await planRetention(store, { maxCount: 1 })).failed).toEqual([]);
  expect(await planned(store, { maxAgeMs: 97, maxBytes: 100 })).toEqual(['a age', 3]);
  expect(await planned(store, { maxCount: 1, maxBytes: 100 })).toEqual(['b1<b count', 'a count', 1]);
});

const keep = ({ id }: Summary): boolean => id === 'child';

test('a conversation to keep is kept with its tree, and counts towards the limits', async () => {
  await using store = await storeOf(['old'], ['child', 'old'], ['b'], ['c']);
  expect(await planned(store, { maxAgeMs: 0, keep })).toEqual(['c age', 'b age', 2]);
  expect(await planned(store, { maxCount: 2, keep })).toEqual([4]);
});

test('the age of a tree is that of its last change, and it is removed as a whole, children first', async () => {
  await using store = await storeOf(['p'], ['q'], ['q1', 'q'], ['q2', 'q1'], ['p1', 'p']);
  expect(await planned(store, { maxCount: 2 })).toEqual(['q2<q1<q count', 2]);
  expect(await planned(store, { maxCount: 3 })).toEqual(['q2<q1<q count', 2]);
  expect(await planned(store, { maxAgeMs: 95 })).toEqual(['q2<q1<q age', 2]);
});

test('a smaller tree is kept where a larger one exceeds the limit', async () => {
  await using store = await storeOf(['a'], ['b'], ['b1', 'b'], ['c']);
  expect(await planned(store, { maxCount: 2 })).toEqual(['b1<b count', 2]);
});

const parentOf = ({ id }: Summary): string | undefined => (id === 'b' ? 'a' : undefined);

test('the caller can define the parent of a conversation', async () => {
  await using store = await storeOf(['a'], ['b']);
  expect(await planned(store, { maxAgeMs: 0, parentOf })).toEqual(['b<a age', 0]);
});

test('an applied plan removes what it lists, and nothing when applied again', async () => {
  await using store = await storeOf(['a'], ['a1', 'a'], ['b']);
  const plan = await planRetention(store, { maxCount: 1 });
  expect(await applyRetention(store, plan)).toEqual({ removed: ['a1', 'a'], skipped: [] });
  expect(await idsOf(store)).toEqual(['b']);
  expect(await applyRetention(store, plan)).toEqual({ removed: [], skipped: [] });
});

test('a tree that is held, or changed since the plan, is kept as a whole', async () => {
  await using store = await storeOf(['a'], ['a1', 'a'], ['b'], ['b1', 'b'], ['c']);
  const plan = await planRetention(store, { maxCount: 0 });
  await using held = await store.open('a');
  await using changed = await store.open('b1');
  await changed.append([newEvent('b')]);
  await changed[Symbol.asyncDispose]();
  const { removed, skipped } = await applyRetention(store, plan);
  expect([removed, skipped]).toEqual([
    ['c'],
    [
      ['b1', 'b'],
      ['a1', 'a'],
    ],
  ]);
  expect(await idsOf(store)).toEqual(['a', 'a1', 'b', 'b1']);
  expect(await held.head()).toBe(1);
});

test('a parent that is opened while its children are removed is kept', async () => {
  await using store = await storeOf(['a'], ['a1', 'a']);
  const plan = await planRetention(store, { maxCount: 0 });
  const remove = store.remove.bind(store);
  store.remove = async (id) => {
    await remove(id);
    if (id === 'a1') await store.open('a');
  };
  expect(await applyRetention(store, plan)).toEqual({ removed: ['a1'], skipped: [] });
  expect(await idsOf(store)).toEqual(['a']);
});

test('an error of the store rejects', async () => {
  await using store = await storeOf(['a']);
  const plan = await planRetention(store, { maxCount: 0 });
  store.remove = async () => {
    throw new Error('The disk is gone.');
  };
  await expect(applyRetention(store, plan)).rejects.toThrow('The disk is gone.');
});

test('no kept conversation loses a parent, for any tree of parents', async () => {
  const conversation = record({ parent: option(integer({ min: 0, max: 9 }), { nil: undefined }) });
  await assert(
    asyncProperty(array(conversation, { maxLength: 10 }), integer({ min: 0, max: 10 }), async (all, maxCount) => {
      await using store = await storeOf(
        ...all.map(({ parent }, id) =>
          parent === undefined ? ([`${id}`] as const) : ([`${id}`, `${parent}`] as const),
        ),
      );
      const plan = await planRetention(store, { maxCount });
      const before = await idsOf(store);
      const { removed, skipped } = await applyRetention(store, plan);
      const left = await idsOf(store);
      expect(skipped).toEqual([]);
      expect([...removed, ...left].toSorted()).toEqual(before);
      expect([left.length, left.length <= maxCount]).toEqual([plan.kept, true]);
      const parents = left.flatMap((id) => all[Number(id)]?.parent ?? []).filter((parent) => parent < all.length);
      expect(left).toEqual(expect.arrayContaining(parents.map(String)));
    }),
    { numRuns: 100 },
  );
});

test('children come before their parents in each tree, and each conversation is in one tree', async () => {
  const trees = conversationTrees(
    ['a', 'b', 'c', 'd', 'e'].map((id, index) => ({ id, createdAt: 0, updatedAt: index, head: 0, meta: null })),
    ({ id }) => ({ b: 'a', c: 'b', d: 'e', e: 'd' })[id],
  );
  expect(trees.map(({ members }) => members.map(({ id }) => id))).toEqual([
    ['e', 'd'],
    ['c', 'b', 'a'],
  ]);
});
