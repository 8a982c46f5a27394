import { expect, test } from 'vitest';
import { wireTexts } from './wire-text.ts';

test('a request is written as JSON, its messages last', () => {
  const messages = [
    { role: 'user', content: 'say "hi"\n' },
    { role: 'assistant', content: null },
  ] as const;
  const request = { model: 'm', messages, stream: true, stream_options: { include_usage: true } } as const;
  const { messages: _last, ...rest } = request;
  expect(wireTexts('messages')(request)).toBe(JSON.stringify({ ...rest, messages }));
});

test('a message that was written before is not written again', () => {
  let written = 0;
  const counted = { role: 'user', content: 'a', toJSON: () => ({ role: 'user', content: String(++written) }) } as const;
  const write = wireTexts('messages');
  const once = { model: 'm', messages: [counted] };
  expect(write(once)).toBe('{"model":"m","messages":[{"role":"user","content":"1"}]}');
  expect(write({ ...once, messages: [counted, counted] })).toContain('"1"},{"role":"user","content":"1"}]');
});

test('no messages at all is still JSON', () => {
  const request = { model: 'm', messages: [] };
  expect(JSON.parse(wireTexts('messages')(request))).toEqual(request);
  expect(wireTexts('messages')({ messages: [] })).toBe('{"messages":[]}');
});
