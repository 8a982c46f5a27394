import assert from 'node:assert/strict';
import { rejectsWith, within } from './assertions.ts';
import { idsOf, newEvent } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of leases, takeover and closing. */
export const leaseChecks: readonly StoreCheck[] = [
  logCheck('a conversation has one log at a time', [], async ({ log, store }) => {
    assert.match((await rejectsWith('held', () => store.open('c'))).message, /\bc\b/);
    await rejectsWith('held', () => store.remove('c'));
    assert.deepEqual(await log.append([newEvent('a')]), [0]);
    assert.equal((await store.list()).items.length, 1);
    assert.equal(await (await store.read('c')).head(), 1);
  }),
  logCheck('a disposed log frees its conversation, and the next one has a higher epoch', [], async ({ log, store }) => {
    await log.append([newEvent('a')]);
    await log[Symbol.asyncDispose]();
    const next = await store.open('c');
    assert.ok(next.epoch > log.epoch);
    assert.deepEqual([await next.head(), await next.append([newEvent('b')])], [1, [1]]);
  }),
  logCheck('a disposed log is closed, and disposing it again does nothing', [], async ({ log, store }) => {
    await log.append([newEvent('a')]);
    await log[Symbol.asyncDispose]();
    await rejectsWith('closed', () => log.append([newEvent('b')]));
    await rejectsWith('closed', () => log.append([]));
    await rejectsWith('closed', () => log.head());
    const next = await store.open('c');
    await log[Symbol.asyncDispose]();
    await rejectsWith('held', () => store.open('c'));
    assert.deepEqual(await next.append([newEvent('b')]), [1]);
  }),
  logCheck('disposing a log waits for its appends', [], async ({ log, store }) => {
    const appends = Promise.all(['a', 'b', 'c'].map((id) => log.append([newEvent(id)])));
    await log[Symbol.asyncDispose]();
    assert.deepEqual(await appends, [[0], [1], [2]]);
    assert.deepEqual(await idsOf((await store.read('c')).range(0)), ['a', 'b', 'c']);
  }),
  storeCheck('one of many concurrent open calls gets the lease', [], async ({ store }) => {
    await (await store.create('c', {}))[Symbol.asyncDispose]();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => store.open('c')));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    const refused = results.filter((result) => result.status === 'rejected');
    assert.deepEqual([...new Set(refused.map(({ reason }) => reason.code))], ['held']);
  }),
  storeCheck('one of many concurrent create calls of one id succeeds', [], async ({ store }) => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, (_, meta) => store.create('c', meta)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    const refused = results.filter((result) => result.status === 'rejected');
    assert.deepEqual([...new Set(refused.map(({ reason }) => reason.code))], ['exists']);
  }),
  logCheck('a disposed store is closed, with its logs and readers', [], async ({ log, store }) => {
    const reader = await store.read('c');
    const append = log.append([newEvent('a')]);
    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    assert.deepEqual(await append, [0]);
    await rejectsWith('closed', () => store.create('d', {}));
    await rejectsWith('closed', () => store.open('c'));
    await rejectsWith('closed', () => store.read('c'));
    await rejectsWith('closed', () => store.list());
    await rejectsWith('closed', () => store.summary('c'));
    await rejectsWith('closed', () => store.remove('c'));
    await rejectsWith('closed', () => log.append([newEvent('b')]));
    await rejectsWith('closed', () => log.snapshots.latest('view'));
    await rejectsWith('closed', () => reader.head());
    await rejectsWith('closed', () => idsOf(reader.range(0)));
    await log[Symbol.asyncDispose]();
  }),
  logCheck(
    'a lease is valid for every handle, and a disposed store releases it',
    ['reopen'],
    async ({ log, store, reopen }) => {
      await using other = await reopen();
      await rejectsWith('held', () => other.open('c'));
      await rejectsWith('held', () => other.remove('c'));
      await rejectsWith('exists', () => other.create('c', {}));
      await store[Symbol.asyncDispose]();
      const next = await other.open('c');
      assert.ok(next.epoch > log.epoch);
    },
  ),
  storeCheck(
    'a log whose lease was taken over is fenced, and disposing it does not affect the new holder',
    ['reopen', 'expireLeases'],
    async ({ store, reopen, expireLeases }) => {
      const old = await store.create('c', 'old');
      await old.append([newEvent('a')]);
      await using other = await reopen();
      await expireLeases();
      const next = await other.open('c');
      assert.ok(next.epoch > old.epoch);
      await rejectsWith('fenced', () => old.append([newEvent('b')]));
      await rejectsWith('fenced', () => old.append([newEvent('a')]));
      await rejectsWith('fenced', () => old.append([], { meta: 'changed' }));
      assert.deepEqual([await old.head(), (await old.at(0)).id], [1, 'a']);
      await old[Symbol.asyncDispose]();
      await rejectsWith('held', () => store.open('c'));
      assert.deepEqual(await next.append([newEvent('c')]), [1]);
      const reader = await store.read('c');
      assert.deepEqual(await idsOf(reader.range(0)), ['a', 'c']);
      assert.equal((await store.summary('c')).meta, 'old');
    },
  ),
  logCheck(
    'a log that was not taken over appends after its lease expired',
    ['expireLeases'],
    async ({ log, store, expireLeases }) => {
      await expireLeases();
      assert.deepEqual(await log.append([newEvent('a')]), [0]);
      await rejectsWith('held', () => store.open('c'));
    },
  ),
  storeCheck(
    'a log of a conversation that was removed and created again is fenced',
    ['reopen', 'expireLeases'],
    async ({ store, reopen, expireLeases }) => {
      const old = await store.create('c', {});
      await using other = await reopen();
      await expireLeases();
      await other.remove('c');
      await rejectsWith('fenced', () => old.append([newEvent('a')]));
      const next = await other.create('c', {});
      await rejectsWith('fenced', () => old.append([newEvent('a')]));
      assert.equal(await next.head(), 0);
    },
  ),
  storeCheck('two handles that append in turns write one log', ['reopen'], async ({ store, reopen }) => {
    await using other = await reopen();
    await (await store.create('c', {}))[Symbol.asyncDispose]();
    const expected: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const log = await within('opening', (turn % 2 === 0 ? store : other).open('c'));
      assert.deepEqual(await log.append([newEvent(`e${turn}`)], { expectedHead: turn }), [turn]);
      expected.push(`e${turn}`);
      await log[Symbol.asyncDispose]();
    }
    assert.deepEqual(await idsOf((await store.read('c')).range(0)), expected);
  }),
];
