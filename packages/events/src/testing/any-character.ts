/** Part of fast-check that {@link anyCharacter} uses: pass the module. */
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
 * Creates an arbitrary of characters, for strings: ASCII, characters below the surrogates, and characters above them, a
 * third each. No lone surrogates. The corresponding unit of fast-check takes a second to set up.
 *
 * The type parameter is the arbitrary of `fc`, which TypeScript cannot infer: `anyCharacter<fc.Arbitrary<string>>(fc)`.
 */
export function anyCharacter<Arbitrary>(fc: Integers<Arbitrary>): Arbitrary {
  return fc.integer({ min: 0, max: 3 * (end - astral) - 1 }).map((number) => {
    const offset = Math.floor(number / 3);
    const codes = [offset % ascii, offset % surrogates, astral + offset];
    return String.fromCodePoint(codes[number % 3] ?? 0);
  });
}
