import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSequence, findText } from './find-sequence.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'ab', '\n')).map((parts) => parts.join(''));

test('every occurrence is found, as with startsWith at each offset', () => {
  const long = text.map((part) => part.repeat(30));
  fc.assert(
    fc.property(
      fc.oneof(text, long),
      fc.oneof(text, long),
      fc.nat(5),
      fc.integer({ min: 1, max: 5 }),
      (whole, wanted, from, limit) => {
        const offsets = Array.from({ length: whole.length }, (_, offset) => offset);
        const expected = offsets.filter(
          (offset) => offset >= from && wanted !== '' && whole.startsWith(wanted, offset),
        );
        expect(findText(whole, wanted, { from })).toEqual(expected);
        expect(findText(whole, wanted, { from, limit })).toEqual(expected.slice(0, limit));
      },
    ),
  );
});

test.for([
  ['aaaab', 'aaab'],
  ['a'.repeat(999), 'a'.repeat(50) + 'b' + 'a'.repeat(50)],
  ['a'.repeat(999), 'b' + 'a'.repeat(400)],
  ['ab'.repeat(500), 'ab'.repeat(200) + 'aa'],
  ['a'.repeat(999), 'a'.repeat(300)],
] as const)('items are read a fixed number of times: %#', ([whole, wanted]) => {
  let reads = 0;
  const counted = (value: string) => ({ length: value.length, at: (index: number) => (reads += 1) && value[index] });
  findSequence(counted(whole), counted(wanted));
  expect(reads).toBeLessThanOrEqual(4 * (whole.length + wanted.length));
});
