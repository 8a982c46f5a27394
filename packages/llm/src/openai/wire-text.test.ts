import { expect, test } from 'vitest';
import { wireTexts } from './wire-text.ts';

test('a request is written as JSON, its messages last', () => {
  const messages = [
    { role: 'user', content: 'say "hi"\n' },
    { role: 'assistant', content: null },
  ] as const;
  const request = { model: 'm', messages, stream: true, stream_options: { include_usage: true } } as const;
  const { messages: _last, ...rest } = request;
  expect(wireTexts()(request)).toBe(JSON.stringify({ ...rest, messages }));
});

test('a message that was written before is not written again', () => {
  let written = 0;
  const counted = { role: 'user', content: 'a', toJSON: () => ({ role: 'user', content: String(++written) }) } as const;
  const write = wireTexts();
  expect(write({ model: 'm', messages: [counted] })).toBe('{"model":"m","messages":[{"role":"user","content":"1"}]}');
  expect(write({ model: 'm', messages: [counted, counted] })).toContain('"1"},{"role":"user","content":"1"}]');
});

test('no messages at all is still JSON', () => {
  expect(JSON.parse(wireTexts()({ model: 'm', messages: [] }))).toEqual({ model: 'm', messages: [] });
});
