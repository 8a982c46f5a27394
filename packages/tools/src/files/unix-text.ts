/** A text with every line end as one line feed, and the way back to the original. */
export interface UnixText {
  readonly text: string;
  /** The offset in the original of an offset in `text`. */
  readonly original: (offset: number) => number;
}

/** Reads a text with any mixture of line ends. */
export function unixText(original: string): UnixText {
  if (!original.includes('\r\n')) return { text: original, original: (offset) => offset };
  // Offsets in the short text of the line feeds that were two characters long.
  const pairs: number[] = [];
  for (let at = original.indexOf('\r\n'); at >= 0; at = original.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
  return { text: original.replaceAll('\r\n', '\n'), original: (offset) => offset + countBelow(pairs, offset) };
}

/** How many of the ascending numbers are smaller than `limit`. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The lines of a text with line feeds; a line feed at the end begins no further line. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (text.endsWith('\n')) lines.pop();
  return lines;
}
