import { type Redactor, truncateMiddle } from '@varve/text';
import { openFile } from '../files/read-file.ts';
import { refuse, refuseFailure, refuseParameter, type Refusal } from '../files/refusal.ts';
import type { Target } from '../files/target.ts';

/** Options of {@link viewHugeText}. */
export interface HugeViewOptions {
  /** First and last line, counted from 1; last -1 means the end. */
  readonly range: readonly number[];
  readonly maxChars: number;
  readonly redactor: Pick<Redactor, 'lines'> | undefined;
  readonly signal: AbortSignal;
}

const endOfFile = -1;
/** Without a count, because parts of such a line are skipped. */
const omittedNote = '[the middle of this line left out]';

/**
 * Returns some lines of a file that is too large to read whole, as UTF-8. Reads only up to the last line needed and
 * keeps only the lines it returns; of a range that exceeds `maxChars`, the first lines. Reads at most what the file
 * contains when it is opened.
 *
 * @throws the reason of the signal when it has aborted.
 */
export async function viewHugeText(
  { path, real }: Target,
  { range, maxChars, redactor, signal }: HugeViewOptions,
): Promise<string | Refusal> {
  const [first = 0, last = 0] = range;
  if (range.length !== 2 || first < 1 || (last !== endOfFile && last < first))
    return refuseParameter('view_range', range, 'Give two line numbers: the first, from 1 on, and the last, or -1.');
  const wanted = { first, last: last === endOfFile ? Infinity : last, maxChars, redactor, signal };
  try {
    const excerpt = await linesIn(real, wanted);
    if (excerpt === undefined) return refuse(`The file ${path} is binary; this tool can neither show nor edit it.`);
    const { lines, count } = excerpt;
    if (lines.length === 0)
      return refuseParameter(
        'view_range',
        range,
        `The first line must be within [1, ${count}], the lines of the file.`,
      );
    const shownTo = first + lines.length - 1;
    const isAll = shownTo === last || count === shownTo;
    const note =
      last !== endOfFile && count !== undefined && last > count
        ? ` (NOTE: it has only ${count} lines, not ${last})`
        : '';
    const more = isAll ? '' : `\n[The view is full; view_range [${shownTo + 1}, ${last}] continues it.]`;
    const numbered = lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`);
    return `${path} as \`cat -n\` shows it, lines ${first} to ${shownTo}${note}:\n${numbered.join('\n')}${more}`;
  } catch (error) {
    signal.throwIfAborted();
    return refuseFailure('Reading', path, error);
  }
}

interface Found {
  readonly lines: readonly string[];
  /** Number of lines of the file, if its end was reached. */
  readonly count: number | undefined;
}

interface Wanted extends Omit<HugeViewOptions, 'range'> {
  readonly first: number;
  readonly last: number;
}

/** Reads the requested lines. Returns undefined for a binary file. */
async function linesIn(path: string, { first, last, maxChars, redactor, signal }: Wanted): Promise<Found | undefined> {
  const lines: string[] = [];
  let number = 1;
  let rest = '';
  let room = maxChars;
  /** Returns false when no further line is needed. */
  const take = (text: string): boolean => {
    if (number >= first) {
      const line = truncateMiddle(text.replace(/\r$/, ''), maxChars - 8, () => omittedNote);
      room -= line.length + 8;
      if (room < 0 && lines.length > 0) return false;
      lines.push(line);
    }
    number += 1;
    return number <= last;
  };
  for await (const chunk of maskedChunks(path, redactor)) {
    signal.throwIfAborted();
    if (chunk.includes('\0')) return undefined;
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    // The middle of such a line is not shown.
    if (rest.length > 4 * maxChars) rest = rest.slice(0, 2 * maxChars) + rest.slice(-maxChars);
    for (const part of parts) if (!take(part)) return { lines, count: undefined };
  }
  if (rest !== '') take(rest);
  return { lines, count: number - 1 };
}

/** Reads a file as UTF-8, without secrets and with the same lines. */
async function* maskedChunks(path: string, redactor: HugeViewOptions['redactor']): AsyncGenerator<string> {
  const stream = redactor?.lines.stream();
  await using file = await openFile(path);
  const { size } = await file.stat();
  const content = file.createReadStream({ encoding: 'utf8', start: 0, end: Math.max(0, size - 1), autoClose: false });
  for await (const chunk of content as AsyncIterable<string>) yield stream?.push(chunk) ?? chunk;
  yield stream?.end() ?? '';
}
