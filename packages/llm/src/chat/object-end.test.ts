import fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectEnd } from './object-end.ts';

/** Whether the object is over after each of the pieces. */
function watch(pieces: readonly string[]): readonly boolean[] {
  const end = objectEnd();
  return pieces.map((piece) => {
    end.push(piece);
    return end.isOver;
  });
}

test('an object is over with its last brace, wherever it is cut', () => {
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
] as const)('%s: %s', ([text, isOver]) => {
  expect(watch([text])).toEqual([isOver]);
});
