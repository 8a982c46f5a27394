import assert from 'node:assert/strict';
import type { Json } from '@varve/events';
import { rejectsWith } from './assertions.ts';
import { idsOf, newEvent } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of `expectedHead`, resent appends and `meta`. */
export const resendChecks: readonly StoreCheck[] = [
  logCheck('an append at the expected head succeeds, at any other head it is a conflict', [], async ({ log }) => {
    assert.deepEqual(await log.append([newEvent('a')], { expectedHead: 0 }), [0]);
    await rejectsWith('conflict', () => log.append([newEvent('b')], { expectedHead: 0 }));
    await rejectsWith('conflict', () => log.append([newEvent('b')], { expectedHead: 2 }));
    assert.deepEqual(await log.append([newEvent('b')], { expectedHead: 1 }), [1]);
    assert.deepEqual(await idsOf(log.range(0)), ['a', 'b']);
  }),
  logCheck('appending the same event again returns its old seq and stores nothing', [], async ({ log }) => {
    await log.append([newEvent('a'), newEvent('b')]);
    assert.deepEqual(await log.append([newEvent('a')]), [0]);
    assert.deepEqual(await log.append([newEvent('b'), newEvent('a')]), [1, 0]);
    assert.equal(await log.head(), 2);
  }),
  logCheck('the same id with another text is a duplicate', [], async ({ log }) => {
    const event = newEvent('a');
    await log.append([event]);
    for (const text of [newEvent('a', { note: 'other' }).text, `${event.text} `, event.text.trim()]) {
      await rejectsWith('duplicate', () => log.append([{ ...event, text }]));
    }
    assert.equal((await log.at(0)).text, event.text);
  }),
  logCheck('an id twice in one append is a duplicate', [], async ({ log }) => {
    await rejectsWith('duplicate', () => log.append([newEvent('a'), newEvent('a')]));
    await log.append([newEvent('b')]);
    await rejectsWith('duplicate', () => log.append([newEvent('b'), newEvent('b')]));
  }),
  logCheck('a resend of a whole append succeeds for any expected head', [], async ({ log, store }) => {
    const batch = [newEvent('a'), newEvent('b')];
    await log.append(batch, { expectedHead: 0 });
    assert.deepEqual(await log.append(batch, { expectedHead: 0 }), [0, 1]);
    assert.deepEqual(await log.append(batch, { expectedHead: 9, meta: 'resent' }), [0, 1]);
    assert.deepEqual([await log.head(), (await store.summary('c')).meta], [2, 'resent']);
  }),
  logCheck('a resend of a partly stored append stores the rest', [], async ({ log }) => {
    await log.append([newEvent('a'), newEvent('b')]);
    await rejectsWith('conflict', () => log.append([newEvent('b'), newEvent('c')], { expectedHead: 2 }));
    const seqs = await log.append([newEvent('b'), newEvent('c'), newEvent('d')], { expectedHead: 1 });
    assert.deepEqual(seqs, [1, 2, 3]);
    assert.deepEqual(await idsOf(log.range(0)), ['a', 'b', 'c', 'd']);
  }),
  storeCheck('meta changes with an append or an empty append, and not otherwise', [], async ({ store }) => {
    const log = await store.create('c', { title: 'first', list: [1, null, 'x'] });
    const meta = async () => (await store.summary('c')).meta;
    assert.deepEqual(await meta(), { title: 'first', list: [1, null, 'x'] });
    await log.append([newEvent('a')]);
    assert.deepEqual(await meta(), { title: 'first', list: [1, null, 'x'] });
    await log.append([newEvent('b')], { meta: 'second' });
    assert.deepEqual(await meta(), 'second');
    assert.deepEqual(await log.append([], { meta: null }), []);
    assert.deepEqual([await meta(), await log.head()], [null, 2]);
    await rejectsWith('conflict', () => log.append([newEvent('c')], { expectedHead: 0, meta: 'third' }));
    assert.equal(await meta(), null);
  }),
  storeCheck(
    'an append of no events resolves with an empty list if the head is the expected one',
    [],
    async ({ store }) => {
      const log = await store.create('c', 1);
      assert.deepEqual(await log.append([]), []);
      assert.deepEqual(await log.append([], { expectedHead: 0 }), []);
      await rejectsWith('conflict', () => log.append([], { expectedHead: 1, meta: 2 }));
      assert.deepEqual([(await store.summary('c')).meta, await log.head()], [1, 0]);
    },
  ),
  storeCheck('meta is a copy', [], async ({ store }) => {
    const meta = { tags: ['a'] };
    await store.create('c', meta);
    meta.tags.push('b');
    const summary = await store.summary('c');
    assert.deepEqual(summary.meta, { tags: ['a'] });
    summary.meta.tags.push('c');
    assert.deepEqual((await store.summary('c')).meta, { tags: ['a'] });
  }),
  storeCheck('meta that is not JSON is invalid and changes nothing', [], async ({ store }) => {
    const log = await store.create('c', 'old');
    const circular: Record<string, unknown> = {};
    circular['itself'] = circular;
    for (const bad of [() => 1, Symbol('x'), 1n, circular] as unknown as Json[]) {
      await rejectsWith('invalid', () => store.create('d', bad));
      await rejectsWith('invalid', () => log.append([newEvent('a')], { meta: bad }));
    }
    await rejectsWith('missing', () => store.read('d'));
    assert.deepEqual([await log.head(), (await store.summary('c')).meta], [0, 'old']);
  }),
];
