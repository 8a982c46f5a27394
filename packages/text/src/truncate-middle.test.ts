import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncateMiddle } from './truncate-middle.ts';

const notice = ({ chars, line }: { chars: number; line: number }): string => `[${chars} from line ${line}]`;

test('a text within the limit is not cut', () => {
  expect(truncateMiddle('x'.repeat(50), 50, notice)).toBe('x'.repeat(50));
});

test('the notice names the length of the gap and its first line', () => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n');
  expect(truncateMiddle(text, 60, notice)).toBe('line 1\nline 2\nline 3\n[108 from line 4]ne 18\nline 19\nline 20');
});

test('the beginning gets the larger half', () => {
  expect(truncateMiddle('a'.repeat(50) + 'b'.repeat(50), 25, () => '|')).toBe(`${'a'.repeat(12)}|${'b'.repeat(12)}`);
  expect(truncateMiddle('a'.repeat(50) + 'b'.repeat(50), 26, () => '|')).toBe(`${'a'.repeat(13)}|${'b'.repeat(12)}`);
});

test('a notice that is longer than the limit is itself cut', () => {
  expect(truncateMiddle('x'.repeat(50), 5, notice)).toBe('[50 f');
});

test('the result is never longer than the limit, and its ends are those of the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', maxLength: 300 }),
      fc.integer({ min: 1, max: 300 }),
      (text, limit) => {
        const cut = truncateMiddle(text, limit, () => '…');
        expect(cut.length).toBeLessThanOrEqual(limit);
        const at = cut.includes('…') ? cut.indexOf('…') : cut.length;
        expect(text.startsWith(cut.slice(0, at))).toBe(true);
        expect(text.endsWith(cut.slice(at + 1))).toBe(true);
      },
    ),
  );
});

test('a character of two units stays whole', () => {
  for (let limit = 3; limit < 30; limit += 1)
    expect(truncateMiddle('😀'.repeat(20), limit, () => '|').isWellFormed()).toBe(true);
});

test('both ends are enough', () => {
  const ends = { head: 'abcdefgh', tail: 'stuvwxyz', length: 26 };
  expect(truncateMiddle(ends, 8, ({ chars }) => `-${chars}-`)).toBe('ab-22-yz');
  expect(truncateMiddle({ head: 'abc', tail: 'abc', length: 3 }, 8, () => '')).toBe('abc');
});
