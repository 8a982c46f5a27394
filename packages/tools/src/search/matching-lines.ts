import { shellWord } from '@varve/text';
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
/** More than the length of a path. */
const maxNameChars = 8192;
/** What ripgrep appends to the start of a line that is too long. */
const cutNotice = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;

/** Returns the matching lines as `name:number: text`, in the order of the names. Long lines are truncated. */
export async function matchingLines(
  search: FileSearch,
  { pattern, directory, names, signal }: LineQuery,
): Promise<readonly string[]> {
  const lines: string[] = [];
  if (names.length === 0) return lines;
  // More do not fit into a result, nor into a command.
  let room = search.maxChars;
  const searched = names.filter((name) => (room -= Buffer.byteLength(shellWord(name))) > 0);
  const named = nameReader(new Set(names));
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
      ...searched.map((name) => `./${name}`),
    ],
    directory,
    signal,
    separator: '\n',
    onRecord(record) {
      const { name, rest } = named(record);
      const [, number, line = ''] = /^(\d+):(.*?)\r?$/s.exec(rest) ?? [];
      if (name !== undefined && number !== undefined)
        lines.push(`${name}:${number}: ${shortenLine(line, search.redactor)}`);
      return lines.length < maxLines;
    },
  });
  return lines;
}

interface Named {
  /** Name of one of the files; undefined if the record does not end one. */
  readonly name?: string;
  /** What follows the name. */
  readonly rest: string;
}

/** Returns a function that separates the name from a record. A name with line feeds takes several records. */
function nameReader(names: ReadonlySet<string>): (record: string) => Named {
  let before = '';
  return (record) => {
    const end = record.indexOf('\0');
    if (end < 0) {
      before = `${before}${record}\n`.slice(-maxNameChars);
      return { rest: '' };
    }
    const line = record.slice(0, end);
    const whole = before + line;
    before = '';
    // What precedes may also be a message of ripgrep about another file, so the longest name that was asked for counts.
    for (let at = whole.indexOf('./'); at >= 0; at = whole.indexOf('./', at + 1)) {
      const name = whole.slice(at + 2);
      if ((at === 0 || whole[at - 1] === '\n') && names.has(name)) return { name, rest: record.slice(end + 1) };
    }
    return { rest: '' };
  };
}

function shortenLine(line: string, redactor: FileSearch['redactor']): string {
  const at = line.length > maxLineChars ? line.search(cutNotice) : -1;
  const isCut = at >= 0;
  return maskedStart(isCut ? line.slice(0, at) : line, { redactor, maxChars: maxLineChars, isCut });
}
