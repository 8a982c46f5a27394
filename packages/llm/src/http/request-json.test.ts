import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonEncoder, jsonPieces } from './request-json.ts';

const read = (bytes: Uint8Array): string =>
  jsonPieces(bytes)
    .map((piece) => Buffer.from(piece).toString())
    .join('');

test('a request is JSON with its list last', () => {
  const messages = [
    { role: 'user', content: 'write "hi"\n' },
    { role: 'assistant', content: null },
  ] as const;
  const request = { model: 'm', messages, stream: true, stream_options: { include_usage: true } } as const;
  const { messages: _last, ...rest } = request;
  expect(read(jsonEncoder('messages')(request))).toBe(JSON.stringify({ ...rest, messages }));
});

test('a message of an earlier request is not encoded again, and its bytes are shared', () => {
  let encoded = 0;
  const counted = { role: 'user', content: 'a', toJSON: () => ({ role: 'user', content: String(++encoded) }) } as const;
  const encode = jsonEncoder('messages');
  const once = { model: 'm', messages: [counted] };
  const short = encode(once);
  expect(read(short)).toBe('{"model":"m","messages":[{"role":"user","content":"1"}]}');
  const more = { ...once, messages: [counted, { role: 'assistant', content: 'b' }] };
  const long = encode(more);
  expect(read(long)).toContain('[{"role":"user","content":"1"},{"role":"assistant","content":"b"}]');
  expect(long.buffer).toBe(short.buffer);
});

test('after an item that has no JSON, a request with the items before it is JSON', () => {
  const encode = jsonEncoder('messages');
  const [first, second] = [{ content: 'a' }, { content: 'b' }];
  const broken = { content: 1n };
  expect(() => encode({ messages: [first, second, broken] })).toThrow(TypeError);
  expect(read(encode({ messages: [first, second] }))).toBe('{"messages":[{"content":"a"},{"content":"b"}]}');
});

test('a request without items is JSON', () => {
  const request = { model: 'm', messages: [] };
  expect(JSON.parse(read(jsonEncoder('messages')(request)))).toEqual(request);
  expect(read(jsonEncoder('messages')({ messages: [] }))).toBe('{"messages":[]}');
});

test('a request has the same bytes after any earlier requests', () => {
  const items = Array.from({ length: 6 }, (_, index) => ({ role: 'user', content: `é😀${'x'.repeat(index * 40)}` }));
  const list = fc.array(fc.constantFrom(...items), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('m', 'Δ'), list), { minLength: 2, maxLength: 8 }), (requests) => {
      const encode = jsonEncoder('messages');
      const bodies = requests.map(([model, messages]) => encode({ model, messages }));
      // Read after all are encoded: no body is overwritten by a later one.
      expect(bodies.map(read)).toEqual(requests.map(([model, messages]) => JSON.stringify({ model, messages })));
    }),
    { numRuns: 200 },
  );
});

test('any other body is one piece', () => {
  expect(jsonPieces('text')).toEqual(['text']);
});
