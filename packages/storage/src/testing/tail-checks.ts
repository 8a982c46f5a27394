import assert from 'node:assert/strict';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import { rejectsWith, within } from './assertions.ts';
import { newEvent, newEvents } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of following a log. */
export const tailChecks: readonly StoreCheck[] = [
  logCheck('a tail yields the existing events, then later ones, each once and in order', [], async ({ log, store }) => {
    await log.append(newEvents(0, 300));
    const tailed = take(await store.read('c'), 400, 0);
    for (const event of newEvents(300, 400)) await log.append([event]);
    assert.deepEqual(
      await within('tailing', tailed),
      newEvents(0, 400).map((event, seq) => ({ seq, ...event })),
    );
  }),
  logCheck('a tail starts at the given seq, also above the head', [], async ({ log }) => {
    await log.append(newEvents(0, 4));
    const [inside, beyond] = [take(log, 3, 3), take(log, 2, 6)];
    await log.append(newEvents(4, 6));
    await log.append(newEvents(6, 8));
    assert.deepEqual(seqs(await within('the tail inside', inside)), [3, 4, 5]);
    assert.deepEqual(seqs(await within('the tail beyond', beyond)), [6, 7]);
  }),
  logCheck('a waiting tail ends without an error when its signal aborts', [], async ({ log }) => {
    await log.append(newEvents(0, 2));
    const abort = new AbortController();
    const seen: number[] = [];
    const ended = (async () => {
      for await (const { seq } of log.tail(0, abort.signal)) {
        seen.push(seq);
        // By the next turn of the event loop the tail has found no event and waits.
        if (seq === 1) setTimeout(() => abort.abort(), 1);
      }
    })();
    await within('ending', ended);
    assert.deepEqual(seen, [0, 1]);
  }),
  logCheck('a tail yields nothing after its signal aborts', [], async ({ log }) => {
    await log.append(newEvents(0, 5));
    assert.deepEqual(await within('ending', Array.fromAsync(log.tail(0, AbortSignal.abort()))), []);
    const abort = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of log.tail(0, abort.signal)) {
      seen.push(seq);
      if (seq === 1) abort.abort();
    }
    assert.deepEqual(seen, [0, 1]);
  }),
  logCheck('a tail does not end when an append fails, and yields none of its unstored events', [], async ({ log }) => {
    const tailed = take(log, 2, 0);
    await log.append(newEvents(0, 1));
    await rejectsWith('conflict', () => log.append(newEvents(1, 2), { expectedHead: 9 }));
    await log.append(newEvents(5, 6));
    assert.deepEqual(
      (await within('tailing', tailed)).map(({ id }) => id),
      ['e0', 'e5'],
    );
  }),
  logCheck('an event that a tail yields is stored', [], async ({ log, store }) => {
    const reader = await store.read('c');
    const checked = (async () => {
      for await (const { seq, text } of reader.tail(0, new AbortController().signal)) {
        assert.equal((await reader.at(seq)).text, text);
        assert.ok((await reader.head()) > seq);
        if (seq === 9) return 'done';
      }
      return 'too early';
    })();
    for (const event of newEvents(0, 10)) await log.append([event]);
    assert.equal(await within('tailing', checked), 'done');
  }),
  storeCheck('several tails of one log and of others do not disturb each other', [], async ({ store }) => {
    const [log, other] = [await store.create('one', {}), await store.create('other', {})];
    const tails = [take(log, 20, 0), take(log, 20, 0), take(other, 20, 0)];
    for (const event of newEvents(0, 20)) await Promise.all([log.append([event]), other.append([event])]);
    for (const tailed of tails) assert.deepEqual(seqs(await within('tailing', tailed)), [...Array(20).keys()]);
  }),
  logCheck('a tail ends without an error when its log or its store is disposed', [], async ({ log, store }) => {
    await log.append([newEvent('a')]);
    const never = new AbortController().signal;
    const [ofLog, ofReader] = [collect(log, never), collect(await store.read('c'), never)];
    await Promise.all([ofLog.first, ofReader.first]);
    await log[Symbol.asyncDispose]();
    assert.deepEqual(seqs(await within('ending the tail of the log', ofLog.all)), [0]);
    await store[Symbol.asyncDispose]();
    assert.deepEqual(seqs(await within('ending the tail of the reader', ofReader.all)), [0]);
  }),
  logCheck('a waiting tail rejects when its conversation is removed', [], async ({ log, store }) => {
    await log.append(newEvents(0, 1));
    const started = collect(await store.read('c'), new AbortController().signal);
    await Promise.all([started.first, log[Symbol.asyncDispose]()]);
    await Promise.all([rejectsWith('missing', () => within('noticing', started.all)), store.remove('c')]);
  }),
  logCheck('a tail yields the appends of another handle', ['reopen'], async ({ log, reopen }) => {
    await log.append(newEvents(0, 1));
    await using other = await reopen();
    const reader = await other.read('c');
    const started = collect(reader, new AbortController().signal, 5);
    await started.first;
    for (const event of newEvents(1, 5)) await log.append([event]);
    assert.deepEqual(seqs(await within('tailing', started.all)), [0, 1, 2, 3, 4]);
  }),
];

/** Returns the first `count` events of a tail. */
async function take(reader: LogReader, count: number, from: number): Promise<Stored[]> {
  const taken: Stored[] = [];
  for await (const event of reader.tail(from, new AbortController().signal)) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

/** Tails until the end or `count` events, and resolves `first` at the first event. */
function collect(reader: LogReader, signal: AbortSignal, count = Infinity) {
  const { promise: first, resolve } = Promise.withResolvers<void>();
  const all = (async () => {
    const seen: Stored[] = [];
    for await (const event of reader.tail(0, signal)) {
      seen.push(event);
      resolve();
      if (seen.length === count) break;
    }
    return seen;
  })();
  return { first: within('the first event', first), all };
}

function seqs(events: readonly Stored[]): number[] {
  return events.map(({ seq }) => seq);
}
