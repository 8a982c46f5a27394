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
  /** What follows a spelling from `start` to `end` and repeats a part of it; absent if nothing does. */
  readonly tail?: Tail;
}

/** Text that follows a spelling. */
interface Tail {
  /** Returns its end; `end` if there is none. */
  readonly endOf: (text: string, start: number, end: number) => number;
  /** Tests whether more text could lengthen it. */
  readonly isOpen: (text: string, start: number, end: number) => boolean;
}

const lineEnd = String.raw`(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]{0,16}`;
const halfLineEnd = String.raw`(?:\r|\\{1,8}(?:r\\{0,8})?)`;

/** Line breaks and the indentation after them, as they are or as JSON escapes them. */
export const lineGap: Gap = gap({
  pattern: lineEnd,
  half: halfLineEnd,
  longest: 34,
  opening: '\n\r\\',
  closing: '\n \tn',
  every: 16,
});

/** Line breaks of a text that was folded, and the indentation after them. */
export const foldGap: Gap = gap({
  pattern: String.raw`\r?\n[ \t]{0,16}`,
  half: String.raw`\r`,
  longest: 18,
  opening: '\n\r',
  closing: '\n \t',
  every: 16,
});

/** Line breaks that quoted-printable adds. */
export const softGap: Gap = gap({
  pattern: String.raw`=\r?\n`,
  half: String.raw`=\r?`,
  longest: 3,
  opening: '=',
  closing: '\n',
  every: 16,
});

/** The end of a line of a dump with its characters, and the address of the next: of `xxd`, `hexdump -C`, `od -tx1z`. */
const withCharacters = [
  String.raw` {2}\|[^\n]{1,16}\|\r?\n[\da-fA-F]{8} {2}`,
  String.raw` {1,2}>[^\n]{1,16}<\r?\n[0-7]{7} `,
  String.raw` {2}[^\n]{1,32}\r?\n[\da-fA-F]{8}: `,
].join('|');
/** That of `od -tx1` has the address only. */
const dumpBreak = String.raw`${withCharacters}|\r?\n[0-7]{7} `;
const halfDumpBreak = String.raw` {1,2}[^\n]{0,35}(?:\n[\da-fA-F]{0,8}:? ?)?|\r?\n[\da-fA-F]{0,8}[: ]? ?`;

const separator = String.raw`(?:[,;:-]?[ \t]{0,2}(?:${lineEnd})?(?:0[xX]|\\{1,4}x|\\{1,4}u00|%|&#[xX])?)`;

/**
 * Separators of bytes in hex: line breaks, blanks, colons, hyphens and commas, the start of an escape in C, JSON, URLs
 * or HTML, and the addresses and characters of dumps.
 */
export const byteGap: Gap = gap({
  pattern: separator,
  linePattern: dumpBreak,
  half: String.raw`${halfDumpBreak}|[,;:-]?[ \t]{0,2}(?:${halfLineEnd}|(?:${lineEnd})?(?:0|\\{1,4}(?:u0?)?|&#?)?)`,
  longest: 64,
  opening: '\n\r\\ \t,;:-0%&',
  closing: '\n \tn,;:-xX0%',
  every: 1,
  tail: charactersOfDump(),
});

/** The bytes of a text in hex without the gaps between them. */
export interface JoinedBytes {
  readonly text: string;
  /** Returns the index in the original text of a character of `text`. */
  readonly indexOf: (at: number) => number;
}

/** Seven bytes with separators, or two groups of bytes: few texts have them. */
const separatedBytes = separatedBytesOf(String.raw`[^\da-zA-Z]{1,6}(?:0?[xX]|u00)?`, String.raw`[\da-fA-F]{2}`);
/** The start of a line of a dump after the first, whose lines may have few bytes of a secret. */
const secondLine = /\n[\da-fA-F]{7,8}:? {1,2}[\da-fA-F]{2}/;
/** Most characters of a line of a dump. */
const longestLine = 160;
const byteSeparator = new RegExp(
  String.raw`(?<=[\da-fA-F]{2})(?![\da-fA-F])(?:${dumpBreak}|${separator})(?=[\da-fA-F]{2})`,
  'g',
);

/** Returns a text without the separators between bytes in hex; undefined for a text without bytes in hex. */
export function joinBytes(text: string): JoinedBytes | undefined {
  const first = firstBytes(text);
  if (first === undefined) return undefined;
  const pieces: string[] = [];
  /** Starts of the pieces: in what is joined, and in the text. */
  const joinedStarts: number[] = [];
  const starts: number[] = [];
  let length = 0;
  let from = first;
  const add = (end: number): void => {
    pieces.push(text.slice(from, end));
    joinedStarts.push(length);
    starts.push(from);
    length += end - from;
  };
  byteSeparator.lastIndex = first;
  for (let match = byteSeparator.exec(text); match; match = byteSeparator.exec(text)) {
    add(match.index);
    from = match.index + match[0].length;
  }
  add(text.length);
  return {
    text: pieces.join(''),
    indexOf(at) {
      const piece = lastAtMost(joinedStarts, at);
      return (starts[piece] ?? 0) + at - (joinedStarts[piece] ?? 0);
    },
  };
}

/** Returns an index before the first bytes in hex with separators. */
function firstBytes(text: string): number | undefined {
  const inDump = secondLine.exec(text)?.index;
  let separated = separatedBytes.exec(text)?.index;
  // Bytes without separators may precede the first separator.
  while (separated !== undefined && separated > 0 && isHexDigit(text, separated - 1)) separated -= 1;
  if (inDump === undefined) return separated;
  return Math.max(0, Math.min(inDump - longestLine, separated ?? inDump));
}

function isHexDigit(text: string, at: number): boolean {
  return /[\da-fA-F]/.test(text.charAt(at));
}

function separatedBytesOf(between: string, byte: string): RegExp {
  return new RegExp(
    `${byte}${between}${byte}(?:(?:(?:${between})?${byte}){5}|(?<=${byte}${byte}${between}${byte})${byte})`,
  );
}

/** Returns the index of the last number of an ascending list that is at most `value`. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** The characters of the last line of a dump are the end of what its bytes are. */
function charactersOfDump(): Tail {
  const dump = new RegExp(withCharacters);
  return {
    endOf(text, start, end) {
      if (!dump.test(text.slice(start, end))) return end;
      const rest = text.slice(end, end + longestLine);
      const first = rest.search(/[\r\n]/);
      return end + (first < 0 ? rest.length : first);
    },
    isOpen: (text, start, end) =>
      text.length < end + longestLine &&
      !/[\r\n]/.test(text.slice(end, end + longestLine)) &&
      dump.test(text.slice(start, end)),
  };
}

interface GapForm extends Pick<Gap, 'tail'> {
  readonly pattern: string;
  /** Longer gaps, which contain a line break; they are tested only near one. */
  readonly linePattern?: string;
  readonly half: string;
  readonly longest: number;
  /** Characters that a gap may start and end with: others are not tested further. */
  readonly opening: string;
  readonly closing: string;
  readonly every: number;
}

function gap({ pattern, linePattern, half, longest, opening, closing, every, tail }: GapForm): Gap {
  const start = new RegExp(`(?:${pattern})`, 'y');
  const end = new RegExp(`(?:${pattern})$`);
  const all = linePattern === undefined ? pattern : `${linePattern}|${pattern}`;
  const startNearLine = new RegExp(`(?:${all})`, 'y');
  const endNearLine = new RegExp(`(?:${all})$`);
  const halves = new RegExp(`^(?:${half})$`);
  return {
    longest,
    every,
    ...(tail && { tail }),
    isHalf: (rest) => rest.length <= longest && halves.test(rest),
    after(text, at) {
      if (!opening.includes(text.charAt(at))) return at;
      const found = linePattern !== undefined && text.slice(at, at + longest).includes('\n') ? startNearLine : start;
      found.lastIndex = at;
      return found.test(text) ? found.lastIndex : at;
    },
    before(text, at) {
      if (at === 0 || !closing.includes(text.charAt(at - 1))) return at;
      const preceding = text.slice(Math.max(0, at - longest), at);
      // An address follows the line break.
      const found = linePattern !== undefined && preceding.slice(-12).includes('\n') ? endNearLine : end;
      return at - (found.exec(preceding)?.[0].length ?? 0);
    },
  };
}
