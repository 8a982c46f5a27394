/** Encoded text that is broken into lines, without its line ends. */
export interface JoinedLines {
  readonly text: string;
  /** True if its last line is that of the searched text. */
  readonly isLast: boolean;
  /** Returns the index of one of its characters in the searched text. */
  readonly indexOf: (at: number) => number;
}

/** Fewest letters before a line end that is one of encoded text. */
export const shortestEncodedLine = 16;

/** Line end, also as JSON writes it, with the indentation that follows; at the end of a text also a part of one. */
const lineEnd = /(?:\r\n?|\n|\\r\\n|\\n|\\(?:r\\?)?$)[ \t]*/y;

/** Part of a text, without the line end that follows. */
interface Line {
  readonly start: number;
  readonly end: number;
}

/**
 * Yields the parts of a text that are base64 or hex in several lines, as `base64` and `xxd -p` print them, with at most
 * `reach` characters of their first and last lines. Most texts have none: they cost one pass over their characters.
 */
export function* joinedLines(text: string, reach: number): Iterable<JoinedLines> {
  let lines: Line[] = [];
  let run = 0;
  let next = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (isEncoded(text.charCodeAt(at))) continue;
    const start = run;
    run = at + 1;
    const isContinued = lines.length > 0 && start === next;
    const length = isContinued || at - start >= shortestEncodedLine ? lineEndAt(text, at) : 0;
    if (lines.length > 0 && (!isContinued || length === 0)) {
      yield joined(text, lines, { next, reach });
      lines = [];
    }
    if (length === 0) continue;
    lines.push({ start: isContinued ? start : Math.max(start, at - reach), end: at });
    next = at + length;
    run = next;
    at = next - 1;
  }
  if (lines.length > 0) yield joined(text, lines, { next, reach });
}

function lineEndAt(text: string, at: number): number {
  lineEnd.lastIndex = at;
  return lineEnd.exec(text)?.[0].length ?? 0;
}

function joined(
  text: string,
  lines: readonly Line[],
  { next, reach }: { readonly next: number; readonly reach: number },
): JoinedLines {
  const all = [...lines, { start: next, end: endOfRun(text, next, Math.min(text.length, next + reach)) }];
  let length = 0;
  const parts = all.map(({ start, end }) => {
    const at = length;
    length += end - start;
    return { at, start };
  });
  return {
    text: all.map(({ start, end }) => text.slice(start, end)).join(''),
    isLast: all.at(-1)?.end === text.length,
    indexOf(at) {
      const part = parts.findLast((each) => each.at <= at);
      return (part?.start ?? 0) + at - (part?.at ?? 0);
    },
  };
}

/** Returns the end of the encoded characters that start at an index, not after `to`. */
function endOfRun(text: string, start: number, to: number): number {
  let end = start;
  while (end < to && isEncoded(text.charCodeAt(end))) end += 1;
  return end;
}

const encodedCodes = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w+/=-]/.test(String.fromCharCode(code))));

/** Tests for a character of base64, of its alphabet for URLs, or of hex. */
function isEncoded(code: number): boolean {
  return encodedCodes[code] === 1;
}
