/** Notations whose texts have escapes: single quotes in JSON are those of Python and JavaScript. */
export type EscapeNotation = 'json' | 'single-quotes' | 'python';

interface EscapeSyntax {
  /** Characters by the sign after the backslash. */
  readonly signs: Readonly<Record<string, string>>;
  /** Backslash, letter and hexadecimal digits of a character, each variant with its digits as a group. */
  readonly code: RegExp;
  /** Beginnings of escapes that are cut off, or that only other notations have. */
  readonly refused: RegExp;
}

const common = { '\\': '\\', '"': '"', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Escapes of JSON. `\'` is not one, but models mean the quote of other languages with it. */
const jsonEscapes: EscapeSyntax = {
  signs: { ...common, '/': '/' },
  code: /\\u([\da-fA-F]{4})/y,
  refused: /\\(?:u[\da-fA-F]|')/y,
};

/** Escapes in single quotes, which Python and JavaScript have, with those that JSON has as well. */
const singleQuoteEscapes: EscapeSyntax = {
  signs: { ...common, '/': '/', "'": "'" },
  code: jsonEscapes.code,
  refused: /\\[xuUNav0-7]/y,
};

/** Escapes of Python. */
const pythonEscapes: EscapeSyntax = {
  signs: { ...common, "'": "'", v: '\v', a: '\u0007', 0: '\0', '\n': '' },
  code: /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(000[\da-fA-F]{5}|0010[\da-fA-F]{4}))/y,
  refused: /\\(?:[0-7]{2}|[1-7xuUN])/y,
};

const syntaxes: Readonly<Record<EscapeNotation, EscapeSyntax>> = {
  json: jsonEscapes,
  'single-quotes': singleQuoteEscapes,
  python: pythonEscapes,
};

/** Text for which an escape is written. */
export interface Escape {
  readonly value: string;
  readonly end: number;
  /** The backslash is part of the text: no escape begins with it. */
  readonly isPlain: boolean;
}

/**
 * Reads the escape at a backslash. A backslash before a character that is not escaped is kept; undefined for one that
 * may be an escape.
 */
export function readEscape(text: string, at: number, notation: EscapeNotation): Escape | undefined {
  const { signs, code, refused } = syntaxes[notation];
  const sign = text.charAt(at + 1);
  if (sign === '') return undefined;
  const hex = matchAt(code, text, at);
  if (hex) {
    const digits = hex.slice(1).find((group) => group !== undefined) ?? '';
    const value = String.fromCodePoint(Number.parseInt(digits, 16));
    return { value, end: at + hex[0].length, isPlain: false };
  }
  if (matchAt(refused, text, at)) return undefined;
  const isKnown = Object.hasOwn(signs, sign);
  return { value: isKnown ? (signs[sign] ?? '') : `\\${sign}`, end: at + 2, isPlain: !isKnown };
}

/** Matches a sticky pattern at exactly `at`. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
