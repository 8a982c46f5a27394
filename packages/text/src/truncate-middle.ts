/** A text of which at least both ends are known. */
export interface TextEnds {
  /** The first characters: as many as the limit, or all. */
  readonly head: string;
  /** The last characters: as many as the limit, or all. */
  readonly tail: string;
  /** Length of the text in UTF-16 units. */
  readonly length: number;
}

/** Part of a text that was left out. */
export interface OmittedText {
  /** Its length in UTF-16 units. */
  readonly chars: number;
  /** Line in which it begins, counted from 1. */
  readonly line: number;
}

/**
 * Returns at most `limit` UTF-16 units of a text: its beginning, a notice, its end. The beginning gets the larger half.
 * A text within the limit is returned as it is; a notice longer than the limit is itself cut. Surrogate pairs stay
 * whole.
 */
export function truncateMiddle(
  text: string | TextEnds,
  limit: number,
  notice: (omitted: OmittedText) => string,
): string {
  const { head, tail, length } = typeof text === 'string' ? { head: text, tail: text, length: text.length } : text;
  if (length <= limit) return head.length >= length ? head : tail;
  const widest = notice({ chars: length, line: lineCount(head) });
  const room = limit - widest.length;
  if (room <= 0) return wholeStart(widest.slice(0, limit));
  const first = wholeStart(head.slice(0, Math.ceil(room / 2)));
  const last = wholeEnd(tail.slice(tail.length - Math.floor(room / 2)));
  return first + notice({ chars: length - first.length - last.length, line: lineCount(first) }) + last;
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function wholeStart(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text.slice(-1)) ? text.slice(0, -1) : text;
}

function wholeEnd(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text.slice(0, 1)) ? text.slice(1) : text;
}
