import { numberedLines } from './numbered-lines.ts';
import { refuseParameter, type Refusal } from '../files/refusal.ts';
import { linesOf, unixText } from '../files/unix-text.ts';

/** Options of {@link viewText}. */
export interface TextViewOptions {
  readonly path: string;
  readonly range: readonly number[] | undefined;
  readonly maxChars: number;
  /** Returns a text without secrets and with the same lines. */
  readonly mask: (text: string) => string;
}

/** Returns a text, or a range of its lines, with line numbers. */
export function viewText(text: string, { path, range, maxChars, mask }: TextViewOptions): string | Refusal {
  const lines = linesOf(mask(unixText(text).text));
  const checked = checkRange(range, lines.length);
  if ('refused' in checked) return checked;
  const { first, last, note } = checked;
  if (lines.length === 0) return `The file ${path} is empty.`;
  const body = numberedLines(lines.slice(first - 1, last), { first, maxChars });
  return `${path} as \`cat -n\` shows it${note}:\n${body}`;
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly note: string;
}

function checkRange(range: readonly number[] | undefined, count: number): Range | Refusal {
  if (range === undefined) return { first: 1, last: count, note: '' };
  const [first = 0, last = 0] = range;
  const wrong = (hint: string): Refusal => refuseParameter('view_range', range, hint);
  if (range.length !== 2) return wrong('Give exactly two line numbers: the first and the last.');
  if (first < 1 || first > Math.max(count, 1))
    return wrong(`The first line must be within [1, ${count}], the lines of the file.`);
  if (last === -1) return { first, last: count, note: `, from line ${first} on` };
  if (last < first) return wrong(`The last line must not come before the first, ${first}, or be -1 for the end.`);
  const note = `, lines ${first} to ${Math.min(last, count)}`;
  return last <= count
    ? { first, last, note }
    : { first, last: count, note: `${note} (NOTE: it has only ${count} lines, not ${last})` };
}
