import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortenMiddle } from './shorten-middle.ts';

test('text within the limit stays as it is', () => {
  expect(shortenMiddle('abc', 3)).toBe('abc');
});

test('head and tail stay, and the note says how much is missing', () => {
  const short = shortenMiddle(`head${'x'.repeat(1000)}tail`, 100);
  expect(short).toMatch(/^head.*\n\[… 908 of 1008 characters left out here …\]\n.*tail$/s);
  expect(short.length).toBeLessThanOrEqual(100);
});

/** Of one and of two UTF-16 units. */
const unit = fc.constantFrom('a', '語', '😀');

test('no limit is exceeded and no character is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 400, size: 'max' }), fc.nat(300), (text, limit) => {
      const short = shortenMiddle(text, limit);
      expect(short.length).toBeLessThanOrEqual(Math.max(limit, 0));
      expect(short.isWellFormed()).toBe(true);
    }),
  );
});
