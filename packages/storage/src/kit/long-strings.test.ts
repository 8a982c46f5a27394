import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinText, splitText } from './long-strings.ts';

const piece = fc.oneof(
  fc.constantFrom('"', '\\', '\\"', '\\\\', '{', '}', ':', ',', '\\u0022', '\\ud83d', '""', '{"$blob":0}'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const garbage = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const json = fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.stringify(value, undefined, 1));

test('any text is restored exactly after a split', () => {
  fc.assert(
    fc.property(fc.oneof(garbage, json), fc.integer({ min: 1, max: 12 }), (text, longest) => {
      const split = splitText(text, longest);
      expect(joinText(split)).toBe(text);
      const places = split.strings.map(({ at }) => at);
      expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
      for (const { string } of split.strings) expect(string.length).toBeGreaterThanOrEqual(longest);
    }),
    { numRuns: 2000 },
  );
});

test('every string of JSON that is long enough is taken out, and no other', () => {
  const stringsIn = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return [value];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) => [
      ...(Array.isArray(value) ? [] : [name]),
      ...stringsIn(member),
    ]);
  };
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      const raw = stringsIn(value).map((string) => JSON.stringify(string).slice(1, -1));
      const { strings } = splitText(JSON.stringify(value), 4);
      expect(strings.map(({ string }) => string)).toEqual(raw.filter(({ length }) => length >= 4));
    }),
    { numRuns: 1000 },
  );
});

test.for([
  ['an escaped quote does not end a string', String.raw`{"a":"12345\"67890"}`, String.raw`12345\"67890`],
  ['an escaped backslash does not escape a quote', String.raw`["1234567890\\","b"]`, String.raw`1234567890\\`],
])('%s', ([, text, string]) => {
  expect(splitText(text ?? '', 8).strings.map((taken) => taken.string)).toEqual([string]);
});

test('an unterminated last string stays in the text', () => {
  expect(splitText('["long enough", "never ends', 4).rest).toBe('["", "never ends');
});
