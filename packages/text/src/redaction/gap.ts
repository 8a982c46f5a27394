/** Text between the parts of a spelling. */
export interface Gap {
  /** Returns the index after a gap that starts at an index; the index itself where none starts. */
  readonly after: (text: string, at: number) => number;
  /** Returns the start of a gap that ends at an index; the index itself where none ends. */
  readonly before: (text: string, at: number) => number;
  /** Tests whether the end of a text may be the start of a gap. */
  readonly isHalf: (rest: string) => boolean;
  /** Most characters of a gap. */
  readonly longest: number;
  /** Least number of parts between two of the longest gaps. */
  readonly every: number;
  /** Gaps that may follow every part of a spelling; a text is looked up with each, if it has any. */
  readonly separators: readonly string[];
}

/** Tests whether a text has separators between bytes in hex: few texts do, and looking them up takes longer. */
export function hasSeparatedBytes(text: string): boolean {
  return /(?:[\da-fA-F]{2}[^\da-zA-Z]{1,3}(?:0?[xX]|u00)?){6}[\da-fA-F]{2}/.test(text);
}

const lineEnd = String.raw`(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]{0,16}`;
const halfLineEnd = String.raw`(?:\r|\\{1,8}(?:r\\{0,8})?)`;

/** Line breaks and the indentation after them, as they are or as JSON escapes them: encoders of base64 write them. */
export const lineGap: Gap = gap({
  pattern: lineEnd,
  half: halfLineEnd,
  longest: 34,
  opening: '\n\r\\',
  closing: '\n \tn',
  every: 16,
  separators: [],
});

/**
 * Separators of bytes in hex: line breaks, blanks, colons, hyphens and commas, and the start of an escape in C, JSON,
 * URLs or HTML.
 */
export const byteGap: Gap = gap({
  pattern: String.raw`[,;:-]?[ \t]{0,2}(?:${lineEnd})?(?:0[xX]|\\{1,4}x|\\{1,4}u00|%|&#[xX])?`,
  half: String.raw`[,;:-]?[ \t]{0,2}(?:${halfLineEnd}|(?:${lineEnd})?(?:0|\\{1,4}(?:u0?)?|&#?)?)`,
  longest: 48,
  opening: '\n\r\\ \t,;:-0%&',
  closing: '\n \tn,;:-xX0%',
  every: 1,
  separators: [' ', ':', '-', ', ', ',0x', ', 0x', ' 0x', '\\x', '\\\\x', '%', '\\u00', '\\\\u00', ';&#x'],
});

interface GapForm {
  readonly pattern: string;
  readonly half: string;
  readonly longest: number;
  /** Characters that a gap may start and end with: others are not tested further. */
  readonly opening: string;
  readonly closing: string;
  readonly every: number;
  readonly separators: readonly string[];
}

function gap({ pattern, half, longest, opening, closing, every, separators }: GapForm): Gap {
  const start = new RegExp(`(?:${pattern})`, 'y');
  const end = new RegExp(`(?:${pattern})$`);
  const halves = new RegExp(`^(?:${half})$`);
  return {
    separators,
    longest,
    every,
    isHalf: (rest) => rest.length <= longest && halves.test(rest),
    after(text, at) {
      if (!opening.includes(text.charAt(at))) return at;
      start.lastIndex = at;
      return start.test(text) ? start.lastIndex : at;
    },
    before(text, at) {
      if (at === 0 || !closing.includes(text.charAt(at - 1))) return at;
      const preceding = text.slice(Math.max(0, at - longest), at);
      return at - (end.exec(preceding)?.[0].length ?? 0);
    },
  };
}
