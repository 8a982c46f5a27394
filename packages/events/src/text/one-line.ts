import { safeText } from './safe-text.ts';

/** Enough to fill any line, and little enough that a text of megabytes costs nothing. */
const looked = 4000;

/** The beginning of a text on one line of at most `most` UTF-16 units, with an ellipsis where it was cut. Safe to show. */
export function oneLine(value: string, most: number): string {
  const line = safeText(value.trimStart().slice(0, looked)).replaceAll(/\s+/g, ' ').trim();
  const isWhole = line.length <= most && value.length <= looked;
  return isWhole
    ? line
    : `${line
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
