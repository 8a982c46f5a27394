import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from './any-character.ts';

test('every value is one character, and every range occurs', () => {
  const drawn = fc.sample(anyCharacter<fc.Arbitrary<string>>(fc), { numRuns: 2000, seed: 1 });
  expect(
    drawn.filter((text) => text !== String.fromCodePoint(text.codePointAt(0) ?? -1) || !text.isWellFormed()),
  ).toEqual([]);
  const codes = drawn.map((text) => text.codePointAt(0) ?? -1);
  const kinds = [codes.filter((code) => code < 0x80), codes.filter((code) => code >= 0x80 && code < 0xd800)];
  for (const kind of [...kinds, codes.filter((code) => code > 0xffff)]) expect(kind.length).toBeGreaterThan(400);
  expect(drawn).toEqual(expect.arrayContaining(['\0', '\n', '\r']));
});
