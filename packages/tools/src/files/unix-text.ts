/** Text with line feeds as line ends, and a mapping of its offsets to the original. */
export interface UnixText {
  readonly text: string;
  /** Returns the offset in the original for an offset in `text`. */
  readonly original: (offset: number) => number;
}

/** Normalizes the line ends of a text, which may be mixed. */
export function unixText(original: string): UnixText {
  if (!original.includes('\r\n')) return { text: original, original: (offset) => offset };
  // Offsets in the normalized text of the line feeds that replace CRLF.
  const pairs: number[] = [];
  for (let at = original.indexOf('\r\n'); at >= 0; at = original.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
  return { text: original.replaceAll('\r\n', '\n'), original: (offset) => offset + countBelow(pairs, offset) };
}

/** Returns the count of the ascending numbers that are smaller than `limit`. */
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

/** Returns the lines of a text with line feeds; a final line feed does not start another line. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (text.endsWith('\n')) lines.pop();
  return lines;
}
