import assert from 'node:assert/strict';
import { verify } from '../proof/verify.ts';
import { rejectsWith } from './assertions.ts';
import { newEvent, newEvents } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of a store whose process was killed. */
export const crashChecks: readonly StoreCheck[] = [
  storeCheck('acknowledged events and meta survive a crash', ['crash'], async ({ store, crash, keepsProof }) => {
    const log = await store.create('c', { a: [1] });
    const events = [newEvent('a'), newEvent('b', { parentId: 'a' }), ...newEvents(0, 20)];
    for (const event of events) await log.append([event]);
    await log.append([], { meta: { a: [2] } });
    await using empty = await store.create('empty', 'new');
    const summaries = [await store.summary('c'), await store.summary(empty.id)];
    await using after = await crash(store);
    assert.deepEqual([await after.summary('c'), await after.summary('empty')], summaries);
    const reader = await after.read('c');
    assert.deepEqual(
      await Array.fromAsync(reader.range(0)),
      events.map((event, seq) => ({ seq, ...event })),
    );
    assert.equal(await reader.seqOf('b'), 1);
    if (keepsProof) assert.deepEqual([(await verify(reader)).broken, (await verify(reader)).sealed], [undefined, 22]);
  }),
  logCheck(
    'after a crash a log can be opened, and an append without an answer can be sent again',
    ['crash'],
    async ({ log, store, crash }) => {
      const last = [newEvent('b', { parentId: 'a' }), newEvent('c', { parentId: 'b' })];
      await log.append([newEvent('a')]);
      await log.append(last, { expectedHead: 1 });
      await using after = await crash(store);
      const next = await after.open('c');
      assert.ok(next.epoch > log.epoch);
      assert.equal(await next.head(), 3);
      assert.deepEqual(await next.append([...last, newEvent('d')], { expectedHead: 1 }), [1, 2, 3]);
      await rejectsWith('duplicate', () => next.append([newEvent('b', { note: 'other' })]));
      assert.equal(await next.head(), 4);
    },
  ),
];
