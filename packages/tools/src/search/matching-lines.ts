import type { FileSearch } from './file-search.ts';
import { maskedStart } from './masked-start.ts';

/** Query of {@link matchingLines}. */
export interface LineQuery {
  readonly pattern: string;
  /** Directory to which the names are relative. */
  readonly directory: string;
  readonly names: readonly string[];
  readonly signal: AbortSignal;
}

const maxLinesPerFile = 50;
const maxLines = 2000;
const maxLineChars = 500;
/** What ripgrep appends to the start of a line that is too long. */
const cutNotice = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;

/** Returns the matching lines as `name:number: text`, in the order of the names. Long lines are truncated. */
export async function matchingLines(
  search: FileSearch,
  { pattern, directory, names, signal }: LineQuery,
): Promise<readonly string[]> {
  const lines: string[] = [];
  if (names.length === 0) return lines;
  await search.run({
    args: [
      '--threads=1',
      '--with-filename',
      '--null',
      '--line-number',
      '--no-heading',
      `--max-count=${maxLinesPerFile}`,
      // In bytes; the rest is truncated by characters below.
      `--max-columns=${maxLineChars * 4}`,
      '--max-columns-preview',
      '--ignore-case',
      `--regexp=${pattern}`,
      '--',
      ...names.map((name) => `./${name}`),
    ],
    directory,
    signal,
    separator: '\n',
    onRecord(record) {
      const [, name, number, line = ''] = /^\.\/([^\0]*)\0(\d+):(.*?)\r?$/s.exec(record) ?? [];
      if (name !== undefined) lines.push(`${name}:${number}: ${shortenLine(line, search.redactor)}`);
      return lines.length < maxLines;
    },
  });
  return lines;
}

function shortenLine(line: string, redactor: FileSearch['redactor']): string {
  const at = line.length > maxLineChars ? line.search(cutNotice) : -1;
  const isCut = at >= 0;
  return maskedStart(isCut ? line.slice(0, at) : line, { redactor, maxChars: maxLineChars, isCut });
}
