import { truncateMiddle } from '@varve/text';

/** Options of {@link numberedLines}. */
export interface NumberedOptions {
  /** Number of the first line, counted from 1. */
  readonly first: number;
  readonly maxChars: number;
}

/**
 * Returns lines with their numbers, as `cat -n` prints them. From a text that is too long, whole lines in the middle
 * are omitted, so that the numbers stay correct; a single line that is too long loses its own middle.
 */
export function numberedLines(lines: readonly string[], { first, maxChars }: NumberedOptions): string {
  const half = Math.floor(maxChars / 2);
  const numberedLine = (index: number): string => {
    const line = truncateMiddle(lines[index] ?? '', half - 8, ({ chars }) => `[${chars} characters left out]`);
    return `${String(first + index).padStart(6)}\t${line}`;
  };
  const head: string[] = [];
  const size = lines.reduce((sum, line) => sum + line.length + 8, 0);
  if (size <= maxChars) return lines.map((_, index) => numberedLine(index)).join('\n');
  let next = 0;
  for (let room = half; next < lines.length; next += 1) {
    const line = numberedLine(next);
    if ((room -= line.length + 1) < 0) break;
    head.push(line);
  }
  const tail: string[] = [];
  let last = lines.length;
  for (let room = half; last > next; last -= 1) {
    const line = numberedLine(last - 1);
    if ((room -= line.length + 1) < 0) break;
    tail.unshift(line);
  }
  if (last === next) return [...head, ...tail].join('\n');
  const gap = `[Lines ${first + next} to ${first + last - 1} left out; view_range shows them.]`;
  return [...head, gap, ...tail].join('\n');
}
