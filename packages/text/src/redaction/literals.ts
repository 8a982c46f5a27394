import type { Forms } from './spelling.ts';

/** Characters that no shell and no printer of literals escapes. */
const plain = /^[\w./+=:@%-]$/;

/**
 * Returns the forms of a character in a literal of a shell or a programming language, which may have a backslash before
 * punctuation, and numbers in place of control characters and of those outside of ASCII.
 */
export function literalForms(character: string): Forms {
  if (character === '\\') return ['\\\\'];
  if (plain.test(character)) return [character];
  return /^[ -~]$/.test(character) ? [`\\${character}`, character] : [...numbersOf(character), character];
}

/** Letters that stand for a control character after a backslash. */
const letters: Readonly<Record<string, readonly string[]>> = {
  '\u0007': ['a'],
  '\b': ['b'],
  '\t': ['t'],
  '\n': ['n'],
  '\u000B': ['v'],
  '\f': ['f'],
  '\r': ['r'],
  '\u001B': ['e', 'E'],
};

/** Returns the escapes by letters, of the bytes, and of the code point. The longest first. */
function numbersOf(character: string): Forms {
  const bytes = [...new TextEncoder().encode(character)];
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  const units = Array.from({ length: character.length }, (_, at) => digits(character.charCodeAt(at), 16, 4));
  const escapes = [
    bytes.map((byte) => `\\${digits(byte, 8, 3)}`).join(''),
    ...bothCases(bytes.map((byte) => `\\x${digits(byte, 16, 2)}`).join('')),
    ...bothCases(units.map((unit) => `\\u${unit}`).join('')),
    ...bothCases(`\\U${digits(code, 16, 8)}`),
    ...bothCases(`\\u{${hex}}`),
    ...(code < 256 ? bothCases(`\\x${digits(code, 16, 2)}`) : []),
    ...(letters[character] ?? []).map((letter) => `\\${letter}`),
  ];
  return [...new Set(escapes)];
}

/** Returns escapes with their digits in lower case and in upper case. */
function bothCases(escapes: string): readonly string[] {
  return [escapes, escapes.replaceAll(/(?<=\\(?:[xuU]|u\{))[\da-f]+/g, (text) => text.toUpperCase())];
}

function digits(value: number, radix: number, length: number): string {
  return value.toString(radix).padStart(length, '0');
}

/** Returns a function that returns one character as it is and `quote` in other forms. */
export function quoteForms(quote: string, forms: Forms): (character: string) => Forms {
  return (character) => (character === quote ? forms : [character]);
}

/** Returns the forms of a byte, given as a character, in quoted-printable. */
export function printableForms(byte: string): Forms {
  if (/^[!-<>-~]$/.test(byte)) return [byte];
  const encoded = `=${digits(byte.charCodeAt(0), 16, 2).toUpperCase()}`;
  return /^[\t ]$/.test(byte) ? [encoded, byte] : [encoded];
}
