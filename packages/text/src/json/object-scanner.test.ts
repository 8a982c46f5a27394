import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfObject, objectScanner } from './object-scanner.ts';

/** Tests after each of the pieces whether the object is complete. */
function watch(pieces: readonly string[]): readonly boolean[] {
  const scanner = objectScanner();
  return pieces.map((piece) => {
    scanner.push(piece);
    return scanner.isComplete;
  });
}

test('an object is complete with its last brace, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 1, max: 9 }), (value, size) => {
      const json = ` ${JSON.stringify(value)}`;
      const pieces = json.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(watch([...pieces, '\n'])).toEqual([...pieces.map((_piece, at) => at === pieces.length - 1), true]);
    }),
    { numRuns: 500 },
  );
});

test.for([
  ['{}{', false],
  ['{} x', false],
  ['[]', false],
  ['x{}', false],
  ['{"a":"}"', false],
  ['{"a":"\\"}', false],
  ['{"a":"\\\\"}', true],
  ['}', false],
  ['', false],
] as const)('%s is complete: %s', ([text, isComplete]) => {
  expect(watch([text])).toEqual([isComplete]);
});

test('an object ends where its JSON ends, whatever follows', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.string(), (value, before, after) => {
      const json = JSON.stringify(value);
      expect(endOfObject(before + json + after, before.length)).toBe(before.length + json.length);
    }),
  );
});

test.for([
  ['{"a":{"b":1}} {}', 13],
  [`{'it"s':1}`, undefined],
  ['{"a":[{]}}', 10],
  ['{"a":"b', undefined],
  ['["a"]', undefined],
] as const)('%s ends at %s', ([text, end]) => {
  expect(endOfObject(text, 0)).toBe(end);
});
