import assert from 'node:assert/strict';
import { rejectsWith } from './assertions.ts';
import { idsOf, newEvent, newEvents } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of reading ranges and single events. */
export const readChecks: readonly StoreCheck[] = [
  logCheck('a range includes its start, excludes its end, and may be empty', [], async ({ log }) => {
    await log.append(newEvents(0, 5));
    const bounds: readonly (readonly [from: number, to: number | undefined, ids: string])[] = [
      [0, undefined, 'e0,e1,e2,e3,e4'],
      [3, undefined, 'e3,e4'],
      [5, undefined, ''],
      [9, undefined, ''],
      [0, 0, ''],
      [0, 1, 'e0'],
      [1, 3, 'e1,e2'],
      [4, 5, 'e4'],
      [3, 100, 'e3,e4'],
      [3, 2, ''],
      [7, 9, ''],
    ];
    for (const [from, to, ids] of bounds) {
      assert.equal((await idsOf(log.range(from, to))).join(), ids, `range(${from}, ${to})`);
    }
  }),
  logCheck('a range ends at the head that it started with', [], async ({ log }) => {
    await log.append(newEvents(0, 3));
    const seen: string[] = [];
    for await (const { id } of log.range(0)) {
      seen.push(id);
      if (seen.length > 3) break;
      await log.append([newEvent(`late-${seen.length}`)]);
    }
    assert.deepEqual(seen, ['e0', 'e1', 'e2']);
    assert.equal(await log.head(), 6);
  }),
  logCheck('other work of the event loop runs during a long read', [], async ({ log }) => {
    await log.append(newEvents(0, 3));
    let turns = 0;
    const range = log.range(0)[Symbol.asyncIterator]();
    for (let next = await range.next(), before = turns; !next.done; before = turns) {
      setImmediate(() => (turns += 1));
      // Processing an event may take long, and never waits.
      for (const start = performance.now(); performance.now() - start < 100;);
      next = await range.next();
      assert.ok(turns > before, 'the read blocks the event loop');
    }
  }),
  logCheck('a range can be abandoned before its end', [], async ({ log }) => {
    await log.append(newEvents(0, 1000));
    for await (const { id } of log.range(10)) {
      assert.equal(id, 'e10');
      break;
    }
    await log.append([newEvent('next')]);
    assert.deepEqual(await idsOf(log.range(999)), ['e999', 'next']);
  }),
  logCheck('one event is found by its seq and its seq by its id', [], async ({ log }) => {
    await log.append(newEvents(0, 3));
    assert.deepEqual(await log.at(1), { seq: 1, ...newEvent('e1') });
    assert.deepEqual([await log.seqOf('e0'), await log.seqOf('e2')], [0, 2]);
    assert.deepEqual([await log.seqOf('e3'), await log.seqOf('')], [undefined, undefined]);
    await rejectsWith('missing', () => log.at(3));
  }),
  logCheck('bounds that are not integers of 0 or more are invalid', [], async ({ log }) => {
    await log.append(newEvents(0, 3));
    for (const bad of [-1, 0.5, Number.NaN, Infinity]) {
      await rejectsWith('invalid', () => log.at(bad));
      await rejectsWith('invalid', () => idsOf(log.range(bad)));
      await rejectsWith('invalid', () => idsOf(log.range(0, bad)));
      await rejectsWith('invalid', () => idsOf(log.tail(bad, AbortSignal.timeout(30_000))));
      await rejectsWith('invalid', () => log.append([newEvent('a')], { expectedHead: bad }));
    }
    assert.equal(await log.head(), 3);
  }),
  logCheck('a reader needs no lease and sees what was acknowledged before', [], async ({ log, store }) => {
    const reader = await store.read('c');
    for (const event of newEvents(0, 5)) {
      const [seq] = await log.append([event]);
      assert.deepEqual([await reader.head(), await reader.seqOf(event.id)], [(seq ?? 0) + 1, seq]);
      assert.equal((await reader.at(seq ?? 0)).text, event.text);
    }
    await rejectsWith('missing', () => store.read('other'));
  }),
  logCheck('many readers read concurrently while the log grows', [], async ({ log, store }) => {
    await log.append(newEvents(0, 600));
    const reads = Array.from({ length: 5 }, async () => idsOf((await store.read('c')).range(0)));
    const grow = newEvents(600, 620).map((event) => log.append([event]));
    const expected = newEvents(0, 620).map(({ id }) => id);
    for (const ids of await Promise.all(reads)) {
      assert.ok(ids.length >= 600);
      assert.deepEqual(ids, expected.slice(0, ids.length));
    }
    await Promise.all(grow);
  }),
  logCheck(
    'branches are in one log, in the order of their appends, and each event keeps its parent',
    [],
    async ({ log, store }) => {
      // A root, two branches that grow alternately, a second root, and an event whose parent is not in the log.
      const parents = {
        a: undefined,
        b1: 'a',
        c1: 'a',
        b2: 'b1',
        c2: 'c1',
        root: undefined,
        b3: 'b2',
        far: 'elsewhere',
      };
      const events = Object.entries(parents).map(([id, parentId]) =>
        newEvent(id, parentId === undefined ? {} : { parentId }),
      );
      await log.append(events.slice(0, 3));
      for (const event of events.slice(3)) await log.append([event]);
      const expected = events.map((event, seq) => ({ seq, ...event }));
      const reader = await store.read('c');
      assert.deepEqual(await Array.fromAsync(reader.range(0)), expected);
      assert.deepEqual(await Array.fromAsync(reader.range(2, 5)), expected.slice(2, 5));
      assert.deepEqual([await reader.at(6), await reader.seqOf('c2')], [expected[6], 4]);
    },
  ),
  storeCheck('another handle reads acknowledged events', ['reopen'], async ({ store, reopen }) => {
    const log = await store.create('c', { a: 1 });
    await using other = await reopen();
    const reader = await other.read('c');
    for (const event of newEvents(0, 5)) {
      const [seq] = await log.append([event]);
      assert.equal((await reader.at(seq ?? 0)).text, event.text);
    }
    assert.deepEqual(await other.summary('c'), await store.summary('c'));
  }),
  storeCheck('stored events remain after the store is disposed', ['reopen'], async ({ store, reopen }) => {
    const log = await store.create('c', { a: [1] });
    await log.append([newEvent('a'), newEvent('b', { parentId: 'a' })]);
    const summary = await store.summary('c');
    await store[Symbol.asyncDispose]();
    await using other = await reopen();
    const again = await other.open('c');
    assert.deepEqual(await other.summary('c'), summary);
    assert.deepEqual(await again.at(1), { seq: 1, ...newEvent('b', { parentId: 'a' }) });
    assert.deepEqual(await again.append([newEvent('a'), newEvent('c')]), [0, 2]);
  }),
];
