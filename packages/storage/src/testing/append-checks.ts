import assert from 'node:assert/strict';
import { rejectsWith } from './assertions.ts';
import { idsOf, newEvent, newEvents } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of appending and of the stored events. */
export const appendChecks: readonly StoreCheck[] = [
  logCheck('a new conversation is empty and has epoch 1', [], async ({ log }) => {
    assert.deepEqual([log.id, log.epoch, await log.head()], ['c', 1, 0]);
    assert.deepEqual(await Array.fromAsync(log.range(0)), []);
  }),
  logCheck('events are returned in order, with their seqs, fields and exact text', [], async ({ log }) => {
    const events = [newEvent('a'), newEvent('b', { parentId: 'a' }), newEvent('c', { parentId: 'b' })];
    assert.deepEqual(await log.append(events.slice(0, 1)), [0]);
    assert.deepEqual(await log.append(events.slice(1)), [1, 2]);
    const expected = events.map((event, seq) => ({ seq, ...event }));
    assert.deepEqual(await Array.fromAsync(log.range(0)), expected);
    assert.equal(await log.head(), 3);
  }),
  logCheck('text of any language is returned exactly', [], async ({ log }) => {
    const texts = [
      '',
      '"\u{1F9CA}"',
      '\r\n\t"',
      'e\u0301 ≠ é',
      '\uFEFF{}',
      '\u2028\u2029',
      "'; DROP TABLE event; --",
      '\uFFFF',
      '\0\uD83E',
    ];
    const ids = texts.map((text, index) => `id-${index}-${text.toWellFormed().replace('\0', '')}`);
    const events = texts.map((note, index) => newEvent(ids[index] ?? '', { note }));
    await log.append(events);
    assert.deepEqual(
      await Array.fromAsync(log.range(0)),
      events.map((event, seq) => ({ seq, ...event })),
    );
  }),
  logCheck('text that is not well-formed is returned exactly or is invalid', [], async ({ log }) => {
    for (const text of ['"\uD83E"', '"\uDDCA"', 'a\0b', '\0']) {
      const before = await log.head();
      const event = newEvent(`id-${before}`, { text });
      const isStored = await log.append([event]).then(
        () => true,
        (error: unknown) => rejectsWith('invalid', () => Promise.reject(error)).then(() => false),
      );
      assert.equal(await log.head(), isStored ? before + 1 : before);
      if (isStored) assert.equal((await log.at(before)).text, text);
    }
  }),
  logCheck('a text of a megabyte is returned exactly', [], async ({ log }) => {
    const note = '0123456789abcdé\u{1F9CA}'.repeat(60_000);
    const events = [newEvent('a', { note }), newEvent('b'), newEvent('c', { note })];
    await log.append(events);
    const stored = await Array.fromAsync(log.range(0));
    assert.deepEqual(
      stored.map(({ id, text }, index) => [id, text === events[index]?.text]),
      [
        ['a', true],
        ['b', true],
        ['c', true],
      ],
    );
  }),
  logCheck('a thousand events keep their order, appended one by one or in one append', [], async ({ log }) => {
    const events = newEvents(0, 1000);
    await log.append(events.slice(0, 500));
    for (let next = 500; next < 550; next += 1) await log.append(events.slice(next, next + 1));
    await log.append(events.slice(550));
    assert.deepEqual(
      await idsOf(log.range(0)),
      events.map(({ id }) => id),
    );
  }),
  logCheck(
    'concurrent appends of one log are stored in the order of their calls, each in one piece',
    [],
    async ({ log }) => {
      const events = newEvents(0, 100);
      const appends = Array.from({ length: 50 }, (_, index) => log.append(events.slice(2 * index, 2 * index + 2)));
      assert.deepEqual((await Promise.all(appends)).flat(), [...events.keys()]);
      assert.deepEqual(
        await idsOf(log.range(0)),
        events.map(({ id }) => id),
      );
    },
  ),
  logCheck('a failing append does not affect concurrent appends', [], async ({ log }) => {
    const results = await Promise.allSettled([
      log.append([newEvent('a')]),
      log.append([newEvent('b')], { expectedHead: 7 }),
      log.append([newEvent('c')]),
      log.append([newEvent('a', { note: 'other' })]),
      log.append([newEvent('d')], { expectedHead: 2 }),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
      [[0], 'conflict', [1], 'duplicate', [2]],
    );
    assert.deepEqual(await idsOf(log.range(0)), ['a', 'c', 'd']);
  }),
  logCheck('an append copies its events when it is called', [], async ({ log }) => {
    const events = [newEvent('a')];
    const appended = log.append(events);
    events[0] = newEvent('changed');
    events.push(newEvent('added'));
    await appended;
    assert.deepEqual(await idsOf(log.range(0)), ['a']);
  }),
  storeCheck('conversations do not see each other', [], async ({ store }) => {
    const [log, other] = [await store.create('one', {}), await store.create('other', {})];
    await Promise.all([log.append([newEvent('a')]), other.append([newEvent('a', { note: 'x' }), newEvent('b')])]);
    assert.deepEqual([await idsOf(log.range(0)), await idsOf(other.range(0))], [['a'], ['a', 'b']]);
    assert.deepEqual([await log.seqOf('b'), await other.seqOf('b')], [undefined, 1]);
  }),
  storeCheck('a failed append stores nothing, or a prefix if its atomicity is prefix', [], async ({ store }) => {
    const log = await store.create('c', { was: 1 });
    await log.append([newEvent('a')]);
    const batch = [newEvent('b'), newEvent('c'), newEvent('a', { note: 'other' }), newEvent('d')];
    await rejectsWith('duplicate', () => log.append(batch, { meta: { was: 2 } }));
    const ids = await idsOf(log.range(0));
    const allowed = log.atomicity === 'all' ? [['a']] : [['a'], ['a', 'b'], ['a', 'b', 'c']];
    assert.ok(
      allowed.some((prefix) => prefix.join() === ids.join()),
      `the log is ${ids.join()}`,
    );
    assert.deepEqual((await store.summary('c')).meta, { was: 1 });
  }),
];
