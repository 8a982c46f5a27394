/** What is used of fast-check: pass the module. */
export interface Integers<Arbitrary> {
  integer(constraints: { readonly min: number; readonly max: number }): {
    map(build: (number: number) => string): Arbitrary;
  };
}

const ascii = 0x80;
const surrogates = 0xd800;
const astral = 0xe000;
const end = 0x11_0000;

/**
 * Any character, as a unit of strings: ASCII, of all languages before the surrogates, or beyond them, a third each. No half
 * of a surrogate pair. The unit of that kind that comes with fast-check takes a second to be set up.
 *
 * The type parameter says what `fc` makes, because TypeScript cannot infer it: `anyCharacter<fc.Arbitrary<string>>(fc)`.
 */
export function anyCharacter<Arbitrary>(fc: Integers<Arbitrary>): Arbitrary {
  return fc.integer({ min: 0, max: 3 * (end - astral) - 1 }).map((number) => {
    const place = Math.floor(number / 3);
    const codes = [place % ascii, place % surrogates, astral + place];
    return String.fromCodePoint(codes[number % 3] ?? 0);
  });
}
