import assert from 'node:assert/strict';
import type { NewEvent } from '../contract/log.ts';
import { verify } from '../proof/verify.ts';
import { rejectsWith } from './assertions.ts';
import { newEvent } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(20_000)}`;
const escaped = '\\u0000"\\é😀\u2028'.repeat(8000);

/** Texts that a store has to reassemble if it stores long strings separately. */
const texts: readonly string[] = [
  JSON.stringify({ url: image, again: image, last: escaped }),
  // As other JSON libraries write it: ASCII only, with spaces.
  `{ "url" : "${String.raw`\u00e9\"\\\/`.repeat(12_000)}" , "${'name'.repeat(20_000)}" : 1 }\r\n`,
  // Text that a store might use as a placeholder.
  JSON.stringify({ $blob: 'a'.repeat(64), sha256: 'blob:0', url: '', at: [0, image.length], same: image }),
  JSON.stringify({ arguments: JSON.stringify({ arguments: JSON.stringify({ image }) }) }),
  `{"text":"${'\\\\'.repeat(40_000)}","end":"${'\\"'.repeat(40_000)}"}`,
];

/** Checks of long strings, in one event and in several. */
export const longStringChecks: readonly StoreCheck[] = [
  logCheck('long strings are returned exactly, however often they occur', [], async ({ log, store }) => {
    const fork = await store.create('fork', {});
    const events = [...texts, ...texts].map((text, index) => longEvent(`e${index}`, text));
    for (const event of events) await log.append([event]);
    await fork.append(events);
    for (const { id } of [log, fork]) {
      const stored = await Array.fromAsync((await store.read(id)).range(0));
      assert.deepEqual(
        stored.map(({ text }) => text),
        events.map(({ text }) => text),
      );
    }
    assert.equal((await log.at(7)).text, events[7]?.text);
    const tail = log.tail(9, AbortSignal.timeout(60_000))[Symbol.asyncIterator]();
    assert.equal((await tail.next()).value?.text, events[9]?.text);
    await tail.return?.();
  }),
  logCheck('an event with a long string differs from one whose string differs anywhere', [], async ({ log }) => {
    const event = longEvent('a', texts[0] ?? '');
    await log.append([event]);
    assert.deepEqual(await log.append([event]), [0]);
    for (const at of [8, event.text.length / 2, event.text.length - 3]) {
      const text = `${event.text.slice(0, at)}#${event.text.slice(at + 1)}`;
      await rejectsWith('duplicate', () => log.append([{ ...event, text }]));
    }
  }),
  storeCheck(
    'an event with a long string loses nothing when another event with it is removed',
    [],
    async ({ store }) => {
      const [log, other] = [await store.create('c', {}), await store.create('other', {})];
      const events = texts.map((text, index) => longEvent(`e${index}`, text));
      const wholeTexts = events.map(({ text }) => text);
      await log.append(events);
      await other.append(events);
      await other[Symbol.asyncDispose]();
      await store.remove('other');
      assert.deepEqual(await textsIn(log.range(0)), wholeTexts);
      await log[Symbol.asyncDispose]();
      await store.remove('c');
      const again = await store.create('c', {});
      await again.append(events);
      assert.deepEqual(await textsIn(again.range(0)), wholeTexts);
    },
  ),
  logCheck(
    'seals cover the exact text of long strings, and a cut does not change the remaining events',
    ['keepsProof'],
    async ({ log }) => {
      const events = [...texts, ...texts].map((text, index) => longEvent(`e${index}`, text));
      const wholeTexts = events.slice(0, 5).map(({ text }) => text);
      await log.append(events);
      assert.deepEqual([(await verify(log)).sealed, (await verify(log)).broken], [10, undefined]);
      await log.proof?.cut(5);
      assert.deepEqual(await textsIn(log.range(0)), wholeTexts);
      assert.deepEqual([(await verify(log)).sealed, (await verify(log)).broken], [5, undefined]);
    },
  ),
];

/** Returns an event with its fields at the end, for stores that read them from the text. */
function longEvent(id: string, text: string): NewEvent {
  const { text: names } = newEvent(id);
  return { ...newEvent(id), text: `${text.slice(0, text.lastIndexOf('}'))}, ${names.slice(names.indexOf('{') + 1)}` };
}

async function textsIn(events: AsyncIterable<{ readonly text: string }>): Promise<readonly string[]> {
  const rows = await Array.fromAsync(events);
  return rows.map(({ text }) => text);
}
