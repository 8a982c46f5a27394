import assert from 'node:assert/strict';
import type { NewEvent } from '../contract/log.ts';
import { verify } from '../proof/verify.ts';
import { rejectsWith } from './assertions.ts';
import { newEvent } from './events.ts';
import type { StoreCheck } from './store-check.ts';

const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(20_000)}`;
const escaped = '\\u0000"\\é😀\u2028'.repeat(8000);

/** Texts that a store which keeps long strings apart has to put together again. */
const texts: readonly string[] = [
  JSON.stringify({ url: image, again: image, last: escaped }),
  // As others write it: ASCII only, with spaces.
  `{ "url" : "${String.raw`\u00e9\"\\\/`.repeat(12_000)}" , "${'name'.repeat(20_000)}" : 1 }\r\n`,
  // What a store might put in the place of a string.
  JSON.stringify({ $blob: 'a'.repeat(64), sha256: 'blob:0', url: '', at: [0, image.length], same: image }),
  JSON.stringify({ arguments: JSON.stringify({ arguments: JSON.stringify({ image }) }) }),
  `{"text":"${'\\\\'.repeat(40_000)}","end":"${'\\"'.repeat(40_000)}"}`,
];

/** Strings that are long, and said more than once. */
export const longStringChecks: readonly StoreCheck[] = [
  {
    title: 'long strings come back exactly, however often they are said',
    async run({ open }) {
      await using store = await open();
      const log = await store.create('c', {});
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
    },
  },
  {
    title: 'an event with a long string is told from one whose string differs anywhere',
    async run({ open }) {
      await using store = await open();
      const log = await store.create('c', {});
      const event = longEvent('a', texts[0] ?? '');
      await log.append([event]);
      assert.deepEqual(await log.append([event]), [0]);
      for (const at of [8, event.text.length / 2, event.text.length - 3]) {
        const text = `${event.text.slice(0, at)}#${event.text.slice(at + 1)}`;
        await rejectsWith('duplicate', () => log.append([{ ...event, text }]));
      }
    },
  },
  {
    title: 'who says a long string too loses nothing when another goes',
    async run({ open }) {
      await using store = await open();
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
  },
  {
    title: 'seals are made of the exact text of long strings, and a cut takes nothing from what stays',
    needs: ['keepsProof'],
    async run({ open }) {
      await using store = await open();
      const log = await store.create('c', {});
      const events = [...texts, ...texts].map((text, index) => longEvent(`e${index}`, text));
      const wholeTexts = events.slice(0, 5).map(({ text }) => text);
      await log.append(events);
      assert.deepEqual([(await verify(log)).sealed, (await verify(log)).broken], [10, undefined]);
      await log.proof?.cut(5);
      assert.deepEqual(await textsIn(log.range(0)), wholeTexts);
      assert.deepEqual([(await verify(log)).sealed, (await verify(log)).broken], [5, undefined]);
    },
  },
];

/** Stores that read an event's names from its text find them at its end. */
function longEvent(id: string, text: string): NewEvent {
  const { text: names } = newEvent(id);
  return { ...newEvent(id), text: `${text.slice(0, text.lastIndexOf('}'))}, ${names.slice(names.indexOf('{') + 1)}` };
}

async function textsIn(events: AsyncIterable<{ readonly text: string }>): Promise<readonly string[]> {
  const found = await Array.fromAsync(events);
  return found.map(({ text }) => text);
}
