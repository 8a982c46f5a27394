import { expect, test } from 'vitest';
import { withCacheMarks } from './cache-marks.ts';
import type { WireMessage, WirePart } from './wire-request.ts';
import type { WireCache } from '../protocol/wire-form.ts';

/** The texts that are marked. */
function marked(messages: readonly WireMessage[]): readonly string[] {
  const parts = withCacheMarks(messages).flatMap(({ content }) => (typeof content === 'object' ? (content ?? []) : []));
  return parts.flatMap((each) => (each.cache_control ? ['text' in each ? each.text : 'image'] : []));
}

function part(text: string): WirePart {
  return { type: 'text', text };
}

function message(text: string): WireMessage {
  return { role: 'user', content: [{ ...part(text), cache_control: { type: 'ephemeral' } }] };
}

test('the first system block and the end of the last message are marked', () => {
  const system: WireMessage = { role: 'system', content: [part('static'), part('dynamic')] };
  const user: WireMessage = {
    role: 'user',
    content: [part('look'), { type: 'image_url', image_url: { url: 'data:x' } }],
  };
  const assistant: WireMessage = { role: 'assistant', content: 'yes' };
  expect(marked([system, user])).toEqual(['static', 'image']);
  expect(marked([system, user, assistant, { role: 'tool', content: 'found' }])).toEqual(['static', 'found']);
  expect(marked([user, assistant])).toEqual(['image']);
});

test('blank text is not marked', () => {
  expect(
    marked([
      { role: 'system', content: '' },
      { role: 'user', content: 'go' },
      { role: 'tool', content: '' },
    ]),
  ).toEqual(['go']);
});

test('of existing marks the newest four are kept', () => {
  expect(marked([{ role: 'system', content: 'rules' }, message('a')])).toEqual(['a']);
  expect(marked(['a', 'b', 'c', 'd', 'e', 'f'].map(message))).toEqual(['c', 'd', 'e', 'f']);
});

test('messages without a new mark are the same objects', () => {
  const middle: WireMessage = { role: 'user', content: 'middle' };
  expect(withCacheMarks([middle, { role: 'user', content: 'end' }])[0]).toBe(middle);
});

test('with a cache, the marked system message is the same object in the next request', () => {
  const system: WireMessage = { role: 'system', content: 'static' };
  const cache: WireCache = new WeakMap();
  const [first, again] = ['a', 'b'].map((content) => withCacheMarks([system, { role: 'user', content }], cache)[0]);
  expect(first).not.toBe(system);
  expect(again).toBe(first);
});
