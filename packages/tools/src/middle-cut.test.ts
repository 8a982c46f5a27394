import fc from 'fast-check';
import { expect, test } from 'vitest';
import { middleCutText } from './middle-cut.ts';

const notice = ({ chars, line }: { chars: number; line: number }): string => `[${chars} from line ${line}]`;

test('TE-34: a text within the limit is not cut', () => {
  expect(middleCutText('x'.repeat(50), 50, notice)).toBe('x'.repeat(50));
});

test('the notice tells how much is gone and from which line on', () => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n');
  expect(middleCutText(text, 60, notice)).toBe('line 1\nline 2\nline 3\n[108 from line 4]ne 18\nline 19\nline 20');
});

test('the beginning gets the larger half', () => {
  expect(middleCutText('a'.repeat(50) + 'b'.repeat(50), 25, () => '|')).toBe(`${'a'.repeat(12)}|${'b'.repeat(12)}`);
  expect(middleCutText('a'.repeat(50) + 'b'.repeat(50), 26, () => '|')).toBe(`${'a'.repeat(13)}|${'b'.repeat(12)}`);
});

test('a notice that is longer than the limit is itself cut', () => {
  expect(middleCutText('x'.repeat(50), 5, notice)).toBe('[50 f');
});

test('the result is never longer than the limit, and its ends are those of the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', maxLength: 300 }),
      fc.integer({ min: 1, max: 300 }),
      (text, limit) => {
        const cut = middleCutText(text, limit, () => '…');
        expect(cut.length).toBeLessThanOrEqual(limit);
        const at = cut.includes('…') ? cut.indexOf('…') : cut.length;
        expect(text.startsWith(cut.slice(0, at))).toBe(true);
        expect(text.endsWith(cut.slice(at + 1))).toBe(true);
      },
    ),
  );
});

test('a character of two units is not torn', () => {
  for (let limit = 3; limit < 30; limit += 1)
    expect(middleCutText('😀'.repeat(20), limit, () => '|').isWellFormed()).toBe(true);
});
