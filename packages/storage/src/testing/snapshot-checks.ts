import assert from 'node:assert/strict';
import type { Json } from '@varve/events';
import { newEvents } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of snapshots. A store may drop any of them, so they accept a missing snapshot, but never a wrong one. */
export const snapshotChecks: readonly StoreCheck[] = [
  logCheck('a saved snapshot is returned, the newest first', [], async ({ log }) => {
    assert.equal(await log.snapshots.latest('view'), undefined);
    await log.append(newEvents(0, 9));
    await log.snapshots.save('view', { seq: 2, state: { a: [1, null, 'é'] } });
    await log.snapshots.save('view', { seq: 5, state: null });
    assert.deepEqual(await log.snapshots.latest('view'), { seq: 5, state: null });
    assert.deepEqual(await log.snapshots.latest('view', 5), { seq: 5, state: null });
    assert.deepEqual(await log.snapshots.latest('view', 4), { seq: 2, state: { a: [1, null, 'é'] } });
    assert.equal(await log.snapshots.latest('view', 1), undefined);
    assert.equal(await log.snapshots.latest('state'), undefined);
  }),
  logCheck('a snapshot of the same seq replaces the one before', [], async ({ log }) => {
    await log.snapshots.save('view', { seq: 0, state: 'old' });
    await log.snapshots.save('view', { seq: 0, state: 'new' });
    assert.deepEqual(await log.snapshots.latest('view'), { seq: 0, state: 'new' });
  }),
  storeCheck('few snapshots are kept per name, and names and conversations do not mix', [], async ({ store }) => {
    const [log, other] = [await store.create('c', {}), await store.create('d', {})];
    await log.snapshots.save('state', { seq: 1, state: 'mine' });
    for (let seq = 1; seq <= 50; seq += 1) await log.snapshots.save('view', { seq, state: seq });
    const seqs = new Set<number>();
    for (let upTo = 0; upTo <= 50; upTo += 1) {
      const snapshot = await log.snapshots.latest('view', upTo);
      assert.equal(snapshot?.state, snapshot?.seq);
      assert.ok((snapshot?.seq ?? 0) <= upTo);
      if (snapshot) seqs.add(snapshot.seq);
    }
    assert.ok(seqs.has(50) && seqs.size <= 16, `${seqs.size} snapshots are kept`);
    assert.deepEqual(await log.snapshots.latest('state'), { seq: 1, state: 'mine' });
    assert.equal(await other.snapshots.latest('view'), undefined);
  }),
  logCheck('names of snapshots are any text, and do not mix', [], async ({ log, store }) => {
    const names = ['a', 'A', 'a/b', '../a', 'a@1-2', '__proto__', 'constructor', ' ', '%61', 'é', 'x'.repeat(300)];
    for (const name of names) await log.snapshots.save(name, { seq: 1, state: name });
    for (const name of names) {
      assert.equal((await log.snapshots.latest(name))?.state ?? name, name);
      assert.equal(await log.snapshots.latest(name, 0), undefined);
    }
    assert.deepEqual((await store.list()).items.length, 1);
  }),
  logCheck('a snapshot is a copy, and failing to save one is not an error', [], async ({ log }) => {
    const state = { list: [1] };
    await log.snapshots.save('view', { seq: 1, state });
    state.list.push(2);
    const latest = await log.snapshots.latest('view');
    assert.deepEqual(latest, { seq: 1, state: { list: [1] } });
    latest.state.list.push(3);
    assert.deepEqual(await log.snapshots.latest('view'), { seq: 1, state: { list: [1] } });
    for (const seq of [-1, 0.5, Number.NaN, Infinity]) await log.snapshots.save('view', { seq, state });
    await log.snapshots.save('view', { seq: 2, state: (() => 1) as unknown as Json });
    assert.deepEqual(await log.snapshots.latest('view'), { seq: 1, state: { list: [1] } });
    await log[Symbol.asyncDispose]();
    await log.snapshots.save('view', { seq: 2, state });
  }),
];
