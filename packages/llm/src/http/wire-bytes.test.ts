import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodyEnd, wireBytes } from './wire-bytes.ts';

const read = (bytes: Uint8Array): string => Buffer.concat([bytes, bodyEnd]).toString();

test('a request is written as JSON, its messages last', () => {
  const messages = [
    { role: 'user', content: 'say "hi"\n' },
    { role: 'assistant', content: null },
  ] as const;
  const request = { model: 'm', messages, stream: true, stream_options: { include_usage: true } } as const;
  const { messages: _last, ...rest } = request;
  expect(read(wireBytes('messages')(request))).toBe(JSON.stringify({ ...rest, messages }));
});

test('a message that was written before is not written again', () => {
  let written = 0;
  const counted = { role: 'user', content: 'a', toJSON: () => ({ role: 'user', content: String(++written) }) } as const;
  const write = wireBytes('messages');
  const once = { model: 'm', messages: [counted] };
  const short = write(once);
  expect(read(short)).toBe('{"model":"m","messages":[{"role":"user","content":"1"}]}');
  const more = { ...once, messages: [counted, { role: 'assistant', content: 'b' }] };
  const long = write(more);
  expect(read(long)).toContain('[{"role":"user","content":"1"},{"role":"assistant","content":"b"}]');
  expect(long.buffer).toBe(short.buffer);
});

test('no messages at all is still JSON', () => {
  const request = { model: 'm', messages: [] };
  expect(JSON.parse(read(wireBytes('messages')(request)))).toEqual(request);
  expect(read(wireBytes('messages')({ messages: [] }))).toBe('{"messages":[]}');
});

test('whatever was written before, a request is written as if it were the first', () => {
  const items = Array.from({ length: 6 }, (_, index) => ({ role: 'user', content: `é😀${'x'.repeat(index * 40)}` }));
  const list = fc.array(fc.constantFrom(...items), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('m', 'Δ'), list), { minLength: 2, maxLength: 8 }), (requests) => {
      const write = wireBytes('messages');
      const bodies = requests.map(([model, messages]) => write({ model, messages } as { messages: object[] }));
      // Read when all are written: none shares its bytes with a later one.
      expect(bodies.map(read)).toEqual(requests.map(([model, messages]) => JSON.stringify({ model, messages })));
    }),
    { numRuns: 200 },
  );
});
