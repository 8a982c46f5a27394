import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PartialJson } from './partial-json.ts';

/** Reads a text in pieces of a few characters. */
function read(text: string, size: number): PartialJson {
  const json = new PartialJson();
  for (let at = 0; at < text.length; at += size) json.push(text.slice(at, at + size));
  return json;
}

test('a whole text is the value that JSON.parse returns, however it is cut', () => {
  const containers = fc
    .jsonValue()
    .filter((value) => typeof value !== 'number' && !JSON.stringify(value).includes('-0'));
  fc.assert(
    fc.property(containers, fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 2), (value, size, space) => {
      const text = `${JSON.stringify(value, undefined, space)}\n`;
      expect(read(text, size).value).toEqual(JSON.parse(text));
    }),
  );
});

test('a string is there while it arrives, without half of an escape sequence', () => {
  const json = new PartialJson();
  const values = ['{"message": "It r', 'ains\\', 'n\\u00e', '9", "n": 1', '2}'].map((piece) => {
    json.push(piece);
    return structuredClone(json.value);
  });
  expect(values).toEqual([
    { message: 'It r' },
    { message: 'It rains' },
    { message: 'It rains\n' },
    { message: 'It rains\né' },
    { message: 'It rains\né', n: 12 },
  ]);
});

test('lists and objects are there while they arrive, and a key that has no value is not', () => {
  expect(read('{"cities": [{"name": "Oslo"}, {"na', 3).value).toEqual({ cities: [{ name: 'Oslo' }, {}] });
});

test('what follows an error is not read', () => {
  expect(read('{"a": 1, "b": tru, "c": 2}', 4).value).toEqual({ a: 1 });
});

test('no key changes the prototype of an object', () => {
  const { value } = read('{"__proto__": {"admin": true}}', 5);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value as object)).toEqual(['__proto__']);
});
