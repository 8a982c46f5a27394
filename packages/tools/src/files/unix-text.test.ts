import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf, unixText } from './unix-text.ts';

test('offsets in a normalized text map to the original', () => {
  const text = fc.array(fc.constantFrom('a', '\r\n', '\n', '\r', 'ä')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (original) => {
      const plain = unixText(original);
      expect(plain.text).toBe(original.replaceAll('\r\n', '\n'));
      for (let at = 0; at <= plain.text.length; at += 1) {
        expect(unixText(original.slice(0, plain.original(at))).text).toBe(plain.text.slice(0, at));
      }
    }),
  );
});

test('the lines of a text are those numbered by cat -n', () => {
  expect([linesOf(''), linesOf('a'), linesOf('a\n'), linesOf('a\n\n')]).toEqual([[], ['a'], ['a'], ['a', '']]);
});
