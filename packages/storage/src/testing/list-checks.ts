import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Json } from '@varve/events';
import type { LogReader } from '../contract/log-reader.ts';
import type { EventLog } from '../contract/log.ts';
import type { EventStore, ListQuery, Summary } from '../contract/store.ts';
import { rejectsWith } from './assertions.ts';
import { newEvent } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of creating, listing, summarising and removing conversations. */
export const listChecks: readonly StoreCheck[] = [
  storeCheck('create of an id that exists fails and changes nothing', [], async ({ store }) => {
    const log = await store.create('c', 'mine');
    await log.append([newEvent('a')]);
    await rejectsWith('exists', () => store.create('c', 'other'));
    await log[Symbol.asyncDispose]();
    await rejectsWith('exists', () => store.create('c', 'other'));
    assert.deepEqual([(await store.summary('c')).meta, (await store.summary('c')).head], ['mine', 1]);
  }),
  storeCheck(
    'a store with files names the directory of a conversation, whether or not it exists',
    [],
    async ({ store }) => {
      if (!store.directoryOf) return;
      assert.ok(isAbsolute(store.directoryOf('c')));
      assert.throws(() => store.directoryOf?.('../c'), { code: 'invalid' });
      const log = await store.create('c', {});
      assert.ok((await stat(store.directoryOf('c'))).isDirectory());
      await log[Symbol.asyncDispose]();
    },
  ),
  storeCheck('a conversation that does not exist is missing', [], async ({ store }) => {
    await rejectsWith('missing', () => store.open('none'));
    await rejectsWith('missing', () => store.read('none'));
    await rejectsWith('missing', () => store.summary('none'));
    await rejectsWith('missing', () => store.remove('none'));
    assert.deepEqual(await store.list(), { items: [] });
  }),
  storeCheck('ids are 1 to 64 letters, digits, underscores and hyphens, and case counts', [], async ({ store }) => {
    for (const id of ['', 'a b', '../a', 'a/b', 'é', 'a\0', '.', 'x'.repeat(65), 'a\n']) {
      await rejectsWith('invalid', () => store.create(id, {}));
      await rejectsWith('invalid', () => store.open(id));
      await rejectsWith('invalid', () => store.read(id));
      await rejectsWith('invalid', () => store.summary(id));
      await rejectsWith('invalid', () => store.remove(id));
    }
    const good = ['a', 'A', '-', '_', '0', 'x'.repeat(64), '8b6c1f9e-0000-4000-8000-000000000000'];
    for (const id of good) await store.create(id, id);
    assert.deepEqual((await all(store)).map(({ id }) => id).toSorted(), good.toSorted());
  }),
  logCheck('a summary follows the log', [], async ({ log, store }) => {
    const fresh = await store.summary('c');
    assert.deepEqual([fresh.id, fresh.head, fresh.updatedAt], ['c', 0, fresh.createdAt]);
    assert.ok(Math.abs(fresh.createdAt - Date.now()) < 366 * 86_400_000, 'createdAt is UTC milliseconds');
    await log.append([newEvent('a'), newEvent('b')]);
    const later = await store.summary('c');
    assert.deepEqual([later.head, later.createdAt], [2, fresh.createdAt]);
    assert.ok(later.updatedAt >= fresh.updatedAt);
    assert.deepEqual(await store.list(), { items: [later] });
  }),
  storeCheck('a listing shows the last updated first, and ids descending among equals', [], async ({ store }) => {
    const logs: EventLog[] = [];
    for (const id of ['b', 'a', 'd', 'c', 'B']) logs.push(await store.create(id, {}));
    await changeUntilNewest(store, async (turn) => logs[1]?.append([newEvent(`e${turn}`)]), 'a');
    await changeUntilNewest(store, async () => logs[3]?.append([], { meta: {} }), 'c');
    const summaries = await all(store);
    assert.deepEqual([summaries[0]?.id, summaries[1]?.id], ['c', 'a']);
    assert.deepEqual(summaries, summaries.toSorted(inOrder));
    assert.equal(summaries.length, 5);
  }),
  storeCheck('pages of any size add up to the whole listing, in every order', [], async ({ store }) => {
    for (let index = 0; index < 25; index += 1) await store.create(`c${index}`, index);
    const { items, next } = await store.list();
    assert.deepEqual([items.length, next], [25, undefined]);
    for (const limit of [1, 4, 5, 24, 25, 26, 1000]) assert.deepEqual(await all(store, { limit }), items);
    for (const order of orders) {
      for (const limit of [1, 6, 25]) assert.deepEqual(await all(store, { limit, ...order }), sorted(items, order));
    }
  }),
  storeCheck(
    'a listing by creation does not change when conversations are updated between its pages',
    [],
    async ({ store }) => {
      const logs: EventLog[] = [];
      for (const id of ['c', 'a', 'd', 'b', 'e']) logs.push(await store.create(id, {}));
      const order = { orderBy: 'createdAt', direction: 'ascending', limit: 2 } as const;
      const ids = async (query: ListQuery) => (await all(store, query)).map(({ id }) => id);
      const before = await ids(order);
      const { items, next = '' } = await store.list(order);
      await changeUntilNewest(store, async (turn) => logs[2]?.append([newEvent(`e${turn}`)]), 'd');
      await changeUntilNewest(store, async (turn) => logs[0]?.append([newEvent(`e${turn}`)]), 'c');
      assert.deepEqual([...items.map(({ id }) => id), ...(await ids({ ...order, after: next }))], before);
      assert.deepEqual(await ids({ ...order, direction: 'descending' }), before.toReversed());
      assert.deepEqual((await ids({ ...order, orderBy: 'updatedAt' })).slice(-2), ['d', 'c']);
    },
  ),
  storeCheck('a listing starts with a conversation, in every order', [], async ({ store }) => {
    for (const id of ['c', 'a', 'd', 'b', 'e']) await store.create(id, {});
    const { items } = await store.list();
    for (const order of orders) {
      const whole = sorted(items, order);
      for (const [at, from] of whole.entries()) {
        assert.deepEqual(await all(store, { limit: 2, from, ...order }), whole.slice(at));
      }
    }
  }),
  storeCheck(
    'conversations are listed and counted by the status in their meta, the empty one for those without',
    [],
    async ({ store }) => {
      for (const [id, meta] of Object.entries(metas)) await (await store.create(id, meta))[Symbol.asyncDispose]();
      const expected = async (statuses: readonly string[], ids: readonly string[]) => {
        for (const order of orders) {
          const listed = await all(store, { statuses, limit: 2, ...order });
          assert.deepEqual(listed.map(({ id }) => id).toSorted(), ids);
          assert.deepEqual(listed, sorted(listed, order));
        }
        assert.equal(await store.count({ statuses }), ids.length);
      };
      const without = ['array', 'deep', 'nested', 'none', 'null', 'number', 'text'];
      await expected(['running'], ['a', 'c']);
      await expected(['idle'], ['b', 'e']);
      await expected(['idle', 'running'], ['a', 'b', 'c', 'e']);
      await expected([''], without);
      await expected(['error', ''], ['d', ...without].toSorted());
      await expected(['other', '\0'], []);
      await expected([], []);
      assert.equal(await store.count(), Object.keys(metas).length);
      const log = await store.open('c');
      await log.append([], { meta: { status: 'error' } });
      await expected(['error'], ['c', 'd']);
      await expected(['running'], ['a']);
      await log[Symbol.asyncDispose]();
      await store.remove('c');
      await expected(['error'], ['d']);
      assert.equal(await store.count(), Object.keys(metas).length - 1);
    },
  ),
  storeCheck('conversations are listed and counted by their owner, which no append changes', [], async ({ store }) => {
    const owners = { a: 'alice', b: 'bob', c: undefined, d: 'alice' };
    for (const [id, owner] of Object.entries(owners)) {
      const log = await store.create(id, { status: id === 'd' ? 'running' : 'idle', owner: 'carol' }, { owner });
      await log.append([newEvent('a')], { meta: { status: id === 'd' ? 'running' : 'idle' } });
      await log[Symbol.asyncDispose]();
      assert.equal((await store.summary(id)).owner, owner);
    }
    const expected = async (query: ListQuery, ids: readonly string[]) => {
      for (const order of orders) {
        const listed = await all(store, { ...query, limit: 1, ...order });
        assert.deepEqual(listed.map(({ id }) => id).toSorted(), ids);
        assert.deepEqual(listed, sorted(listed, order));
      }
      assert.equal(await store.count(query), ids.length);
    };
    await expected({ owner: 'alice' }, ['a', 'd']);
    await expected({ owner: 'alice', statuses: ['idle'] }, ['a']);
    await expected({ owner: 'bob' }, ['b']);
    await expected({ owner: '' }, ['c']);
    await expected({ owner: 'carol' }, []);
    for (const owner of ['a b', 'é', 'x'.repeat(201), 'a\0']) {
      await rejectsWith('invalid', () => store.create('e', {}, { owner }));
    }
    await rejectsWith('missing', () => store.summary('e'));
  }),
  storeCheck('a page has a hundred conversations by default', [], async ({ store }) => {
    await Promise.all(Array.from({ length: 101 }, async (_, index) => store.create(`c${index}`, index)));
    const { items, next } = await store.list();
    assert.ok(items.length === 100 && next !== undefined, `a page has ${items.length}`);
  }),
  storeCheck('the last page has no next', [], async ({ store }) => {
    for (const id of ['a', 'b', 'c', 'd']) await store.create(id, {});
    const first = await store.list({ limit: 2 });
    assert.ok(first.next !== undefined && first.items.length === 2);
    const second = await store.list({ limit: 2, after: first.next });
    assert.deepEqual([second.items.length, 'next' in second], [2, false]);
  }),
  storeCheck('a page continues after a conversation that was removed', [], async ({ store }) => {
    for (const id of ['a', 'b', 'c', 'd']) await (await store.create(id, {}))[Symbol.asyncDispose]();
    const whole = await all(store);
    const first = await store.list({ limit: 2 });
    await store.remove(first.items[1]?.id ?? '');
    const second = await store.list({ limit: 2, ...(first.next !== undefined && { after: first.next }) });
    assert.deepEqual(second.items, whole.slice(2));
  }),
  storeCheck('a limit out of range and a cursor that is not from a page are invalid', [], async ({ store }) => {
    await store.create('c', {});
    for (const limit of [0, -1, 1001, 1.5, Number.NaN]) await rejectsWith('invalid', () => store.list({ limit }));
    for (const after of ['', 'x', ' ', '{}', 'c', '\0']) await rejectsWith('invalid', () => store.list({ after }));
  }),
  storeCheck('a removed conversation is missing, and its id can be used again', [], async ({ store }) => {
    const log = await store.create('c', 'old');
    await log.append([newEvent('a')]);
    await log.snapshots.save('view', { seq: 1, state: 1 });
    await log[Symbol.asyncDispose]();
    const reader = await store.read('c');
    await store.remove('c');
    await rejectsWith('missing', () => store.summary('c'));
    await rejectsWith('missing', () => store.open('c'));
    for (const read of readsOf(reader)) await rejectsWith('missing', read);
    assert.deepEqual(await store.list(), { items: [] });
    const again = await store.create('c', 'new');
    assert.deepEqual([await again.head(), await again.seqOf('a')], [0, undefined]);
    assert.equal(await again.snapshots.latest('view'), undefined);
    await again.append([newEvent('a')]);
    for (const read of readsOf(reader)) await rejectsWith('missing', read);
  }),
  storeCheck('a conversation with another meta than the expected one is not removed', [], async ({ store }) => {
    for (const [meta, other] of conditions) {
      const log = await store.create('c', meta);
      await log.append([newEvent('a')]);
      await rejectsWith('held', () => store.remove('c', { expectedMeta: other }));
      await log[Symbol.asyncDispose]();
      await rejectsWith('conflict', () => store.remove('c', { expectedMeta: other }));
      assert.equal((await store.summary('c')).head, 1);
      const again = await store.open('c');
      await again.append([], { meta: other });
      await again[Symbol.asyncDispose]();
      await rejectsWith('conflict', () => store.remove('c', { expectedMeta: meta }));
      await store.remove('c', { expectedMeta: other });
      await rejectsWith('missing', () => store.remove('c', { expectedMeta: other }));
    }
  }),
];

const metas: Readonly<Record<string, Json>> = {
  a: { status: 'running' },
  b: { title: '"status":"running"', status: 'idle' },
  c: { status: 'running', workspace: '/srv' },
  d: { status: 'error' },
  e: { status: 'idle', title: '\0' },
  none: {},
  null: null,
  text: 'running',
  array: ['status', 'running'],
  number: { status: 5 },
  nested: { goal: { status: 'running' } },
  deep: JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`),
};

const orders = (['createdAt', 'updatedAt'] as const).flatMap((orderBy) =>
  (['ascending', 'descending'] as const).map((direction) => ({ orderBy, direction })),
);

function sorted(summaries: readonly Summary[], { orderBy, direction }: (typeof orders)[number]): Summary[] {
  const ascending = summaries.toSorted((a, b) => a[orderBy] - b[orderBy] || (a.id < b.id ? -1 : 1));
  return direction === 'ascending' ? ascending : ascending.toReversed();
}

const conditions = [
  [{ mark: 'a' }, { mark: 'b' }],
  [{ mark: 'a' }, {}],
  [
    { a: 1, b: [null] },
    { a: 1, b: [] },
  ],
  ['old', null],
] as const;

/** Calls every method that reads, including a tail, which must notice the removal. */
function readsOf(reader: LogReader): readonly (() => Promise<unknown>)[] {
  return [
    async () => reader.head(),
    async () => reader.at(0),
    async () => reader.seqOf('a'),
    async () => Array.fromAsync(reader.range(0)),
    async () => Array.fromAsync(reader.tail(1, AbortSignal.timeout(30_000))),
  ];
}

async function all(store: EventStore, query: ListQuery = {}): Promise<Summary[]> {
  const summaries: Summary[] = [];
  let page = await store.list(query);
  summaries.push(...page.items);
  while (page.next !== undefined) {
    page = await store.list({ ...query, after: page.next });
    summaries.push(...page.items);
    assert.ok(summaries.length <= 1000, 'the pages have no end');
  }
  return summaries;
}

/** Appends until the conversation has a later time than the others. */
async function changeUntilNewest(
  store: EventStore,
  change: (turn: number) => Promise<unknown>,
  id: string,
): Promise<void> {
  const start = performance.now();
  for (let turn = 0; performance.now() - start < 10_000; turn += 1) {
    await change(turn);
    if ((await store.list({ limit: 1 })).items[0]?.id === id) return;
  }
  assert.fail(`${id} never becomes the last updated`);
}

function inOrder(a: Summary, b: Summary): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  return a.id < b.id ? 1 : -1;
}
