import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestJson } from './request-json.ts';

const textOf = (body: object): string => Buffer.from(requestJson(body)).toString();

test('an item that was sent before is not converted again', () => {
  let conversions = 0;
  const item = { toJSON: () => ({ conversion: ++conversions }) };
  expect(textOf({ model: 'm', messages: [item] })).toBe('{"model":"m","messages":[{"conversion":1}]}');
  expect(textOf({ messages: [{ first: true }, item] })).toBe('{"messages":[{"first":true},{"conversion":1}]}');
});

test('a request has the bytes of JSON.stringify, whatever was sent before', () => {
  const items = Array.from({ length: 6 }, (_, index) => ({ role: 'user', content: `é😀"\n${'x'.repeat(index * 40)}` }));
  const list = fc.array(fc.constantFrom(...items), { maxLength: 12 });
  const body = fc.record(
    { model: fc.constantFrom('m', 'Δ'), stop: fc.array(fc.string()), empty: fc.constant(undefined), messages: list },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(body, { maxLength: 8 }), (bodies) => {
      expect(bodies.map(textOf)).toEqual(bodies.map((each) => JSON.stringify(each)));
    }),
    { numRuns: 200 },
  );
});
