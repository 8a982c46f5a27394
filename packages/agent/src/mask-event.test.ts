import { expect, test } from 'vitest';
import { builtinKinds, eventCodec, MessageEvent, text } from '@varve/events';
import { maskSecrets } from '@varve/tools';
import { maskEvent } from './mask-event.ts';

const stamp = { id: '00000001', timestamp: '2026-01-01T12:00:00.000000' };
const said = (words: string) =>
  MessageEvent.create({ source: 'user', llm_message: { role: 'user', content: [text(words)] } }, stamp);

test('an event without a secret is given back as it is', () => {
  const event = said('hello');
  expect(maskEvent(event, maskSecrets(['hush-hush']))).toBe(event);
});

test('a secret is hidden wherever text may stand, in the same field order', () => {
  const masked = maskEvent(said('it is hush-hush'), maskSecrets(['hush-hush']));
  expect(JSON.stringify(masked)).toBe(JSON.stringify(said('it is <secret-hidden>')));
  expect(Object.isFrozen(masked.llm_message.content)).toBe(true);
});

test('a secret that is a word of the format leaves an event that can be read', () => {
  const masked = maskEvent(said('my password is user'), maskSecrets(['user']));
  const codec = eventCodec(builtinKinds);
  expect(codec.decode(codec.encode(masked))).toMatchObject({
    source: 'user',
    llm_message: { role: 'user', content: [{ text: 'my password is <secret-hidden>' }] },
  });
});
