import { refuse, type Refusal } from '../files/refusal.ts';

/** Line of a chunk: kept, removed or added. */
export interface ChunkLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Change of one place in a file. */
export interface Chunk {
  /** Lines that precede the place, outermost first. */
  readonly anchors: readonly string[];
  readonly lines: readonly ChunkLine[];
  /** True if the place is the end of the file. */
  readonly isAtEnd: boolean;
  /** Line of the patch at which the chunk begins, counted from 1. */
  readonly line: number;
}

/** Change of one file. */
export type PatchHunk =
  | { readonly kind: 'add'; readonly path: string; readonly text: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly moveTo?: string; readonly chunks: readonly Chunk[] };

type Hunks = readonly PatchHunk[];

const header = /^\*\*\* (Add|Delete|Update) File:(.*)$/;
const endOfFile = '*** End of File';
const maxFiles = 1000;

/**
 * Parses a patch in the V4A format. A refusal names the line, counted from 1, and the expected content.
 *
 * @see the grammar in openai/codex codex-rs/apply-patch
 */
export function parsePatch(lines: readonly string[]): Hunks | Refusal {
  if (lines[0]?.trim() !== '*** Begin Patch') return refuseLine(0, 'the first line must be "*** Begin Patch"');
  if (lines.length < 2 || lines.at(-1)?.trim() !== '*** End Patch')
    return refuseLine(lines.length - 1, 'the last line must be "*** End Patch"');
  const hunks: PatchHunk[] = [];
  const last = lines.length - 1;
  for (let at = 1; at < last;) {
    const line = (lines[at] ?? '').trim();
    if (line === '' || line === '***') {
      at += 1;
      continue;
    }
    const [, verb, path = ''] = header.exec(line) ?? [];
    if (verb === undefined)
      return refuseLine(at, 'expected "*** Add File: ", "*** Update File: " or "*** Delete File: " and a path');
    if (path.trim() === '') return refuseLine(at, 'the path is missing');
    const end = sectionEnd(lines, at + 1, last);
    const section: Section = { path: path.trim(), lines, from: at + 1, to: end };
    const hunk = sections[verb as keyof typeof sections](section);
    if ('refused' in hunk) return hunk;
    if (hunks.push(hunk) > maxFiles) return refuseLine(at, `a patch changes at most ${maxFiles} files`);
    at = end;
  }
  return hunks.length > 0 ? hunks : refuseLine(last, 'the patch changes no file');
}

interface Section {
  readonly path: string;
  readonly lines: readonly string[];
  readonly from: number;
  readonly to: number;
}

const sections = {
  Add: ({ path, lines, from, to }: Section): PatchHunk | Refusal => {
    const added = trimBlankEnd(lines.slice(from, to));
    const odd = added.findIndex((line) => !line.startsWith('+'));
    if (odd >= 0) return refuseLine(from + odd, 'each line of a new file must begin with "+"');
    return { kind: 'add', path, text: added.map((line) => `${line.slice(1)}\n`).join('') };
  },
  Delete: ({ path, lines, from, to }: Section): PatchHunk | Refusal =>
    trimBlankEnd(lines.slice(from, to)).length === 0
      ? { kind: 'delete', path }
      : refuseLine(from, 'nothing may follow "*** Delete File: "'),
  Update: (section: Section): PatchHunk | Refusal => {
    const { path, lines } = section;
    const moveTo = /^\*\*\* Move to:(.*)$/.exec((lines[section.from] ?? '').trim())?.[1]?.trim();
    const from = section.from + (moveTo === undefined ? 0 : 1);
    const chunks = chunksOf({ ...section, from });
    if ('refused' in chunks) return chunks;
    if (moveTo === '') return refuseLine(section.from, 'the path is missing');
    if (moveTo !== undefined) return { kind: 'update', path, moveTo, chunks };
    return chunks.length > 0 ? { kind: 'update', path, chunks } : refuseLine(from - 1, 'no change follows');
  },
} as const;

function chunksOf({ lines, from, to }: Section): readonly Chunk[] | Refusal {
  const chunks: Chunk[] = [];
  let chunk: { anchors: string[]; lines: ChunkLine[]; line: number } | undefined;
  const close = (isAtEnd: boolean): void => {
    if (chunk !== undefined) chunks.push({ ...chunk, isAtEnd });
    chunk = undefined;
  };
  const end = from + trimBlankEnd(lines.slice(from, to)).length;
  for (let at = from; at < end; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === endOfFile) {
      if (chunk === undefined) return refuseLine(at, 'no change precedes "*** End of File"');
      close(true);
      continue;
    }
    const anchor = /^@@(?: (.*)|\s*)$/.exec(line);
    if (anchor !== null) {
      if (chunk !== undefined && chunk.lines.length > 0) close(false);
      chunk ??= { anchors: [], lines: [], line: at + 1 };
      // Unified diffs have line numbers here; those of models are unreliable.
      const text = (anchor[1] ?? '').replace(/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/, '');
      if (text.trim() !== '') chunk.anchors.push(text);
      continue;
    }
    const mark = line === '' ? ' ' : line[0];
    if (mark !== ' ' && mark !== '+' && mark !== '-')
      return refuseLine(at, 'a line of a change must begin with a blank, "+", "-" or "@@"');
    if (chunk === undefined && chunks.length > 0) return refuseLine(at, 'a further change must begin with "@@"');
    chunk ??= { anchors: [], lines: [], line: at + 1 };
    chunk.lines.push({ mark, text: line.slice(1) });
  }
  if (chunk?.lines.length === 0) return refuseLine(chunk.line - 1, 'no change follows "@@"');
  close(false);
  return chunks;
}

function sectionEnd(lines: readonly string[], from: number, last: number): number {
  for (let at = from; at < last; at += 1) {
    const line = (lines[at] ?? '').trimEnd();
    if (line === '***' || header.test(line)) return at;
  }
  return last;
}

/** Blank lines before the next section belong to neither. */
function trimBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

function refuseLine(at: number, what: string): Refusal {
  return refuse(`The patch is not valid at line ${at + 1}: ${what}. Nothing was changed.`);
}
