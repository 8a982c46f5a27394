import { formatNumbers, refuse, type Refusal } from '../files/refusal.ts';
import type { TextFile } from '../files/text-file.ts';
import { lookAlike } from '../files/typography.ts';
import { linesOf, unixText } from '../files/unix-text.ts';
import { ChunkFinder } from './find-chunk.ts';
import type { Chunk } from './parse-patch.ts';

/** Text with all chunks applied. */
export interface Patched {
  readonly text: string;
  readonly fuzz: number;
}

/** Options of {@link applyChunks}. */
export interface ChunksOptions {
  readonly path: string;
  readonly chunks: readonly Chunk[];
  readonly signal: AbortSignal;
}

/** Replacement of the lines from index `from` up to `to`, exclusive. */
interface Edit {
  readonly from: number;
  to: number;
  readonly lines: string[];
}

/**
 * Applies chunks in order, each below the one before. Lines that are not removed stay unchanged, including line ends,
 * even if the patch contains them with different blanks. A chunk that matches no place, or several, is refused.
 */
export async function applyChunks(
  { text, lineEnd }: Pick<TextFile, 'text' | 'lineEnd'>,
  { path, chunks, signal }: ChunksOptions,
): Promise<Patched | Refusal> {
  const { text: plain, original } = unixText(text);
  const lines = linesOf(plain);
  const finder = new ChunkFinder(lines, signal);
  const edits: Edit[] = [];
  let fuzz = 0;
  let cursor = 0;
  for (const chunk of chunks) {
    const [place, ...others] = await finder.find(chunk, cursor);
    if (finder.isExhausted) return refuseSize(path, chunks.length, lines.length);
    if (place === undefined) return refuseNotFound({ path, plain, cursor }, chunk);
    if (others.length > 0) return refuseAmbiguous(path, chunk, [place, ...others]);
    fuzz += place.fuzz;
    for (const edit of editsOf(chunk, place.at)) edits.push(edit);
    cursor = place.at + chunk.lines.filter(({ mark }) => mark !== '+').length;
  }
  return { text: applyEdits({ text, lineEnd }, { plain, original, lines, edits }), fuzz };
}

function editsOf({ lines }: Chunk, at: number): readonly Edit[] {
  const edits: Edit[] = [];
  let index = at;
  for (const { mark, text } of lines) {
    const last = edits.at(-1);
    const next = mark === '-' ? index + 1 : index;
    const added = mark === '+' ? [text] : [];
    if (mark !== ' ') {
      if (last?.to === index) {
        last.to = next;
        last.lines.push(...added);
      } else edits.push({ from: index, to: next, lines: added });
    }
    if (mark !== '+') index += 1;
  }
  return edits;
}

interface Splice {
  readonly plain: string;
  readonly original: (offset: number) => number;
  readonly lines: readonly string[];
  readonly edits: readonly Edit[];
}

function applyEdits({ text, lineEnd }: Pick<TextFile, 'text' | 'lineEnd'>, splice: Splice): string {
  const { plain, original, lines, edits } = splice;
  const isOpen = plain !== '' && !plain.endsWith('\n');
  const starts = [0];
  for (const line of lines) starts.push(Math.min((starts.at(-1) ?? 0) + line.length + 1, plain.length));
  let result = '';
  let done = 0;
  for (const { from, to, lines: added } of edits) {
    const start = original(starts[from] ?? plain.length);
    const whole = added.map((line) => line + lineEnd).join('');
    // The last line of such a file has no line end, before and after the change.
    const atOpenEnd = isOpen && to === lines.length && added.length > 0;
    const put = atOpenEnd ? (from === lines.length ? lineEnd : '') + whole.slice(0, -lineEnd.length) : whole;
    result += text.slice(done, start) + put;
    done = original(starts[to] ?? plain.length);
  }
  return result + text.slice(done);
}

interface Searched {
  readonly path: string;
  readonly plain: string;
  /** Index of the line from which on the chunk was searched. */
  readonly cursor: number;
}

function refuseNotFound({ path, plain, cursor }: Searched, chunk: Chunk): Refusal {
  const wanted = chunk.lines.flatMap(({ mark, text }) => (mark === '+' ? [] : [text])).join('\n');
  const difference = lookAlike(plain, wanted, 'the patch');
  const why = difference === undefined ? 'View the file for its exact text.' : `The text differs: ${difference}.`;
  const where = cursor === 0 ? path : `${path} below line ${cursor}, where the change before it ends`;
  return refuse(
    `Nothing was changed: the lines of the change at line ${chunk.line} of the patch are not in ${where}. ${why}`,
  );
}

function refuseSize(path: string, chunks: number, lines: number): Refusal {
  return refuse(
    `Nothing was changed: ${chunks} changes of a file with ${lines} lines, ${path}, are too many for one patch. Use several patches, or the file editor.`,
  );
}

function refuseAmbiguous(path: string, chunk: Chunk, places: readonly { readonly at: number }[]): Refusal {
  const lines = formatNumbers(places.map(({ at }) => at + 1));
  return refuse(
    `Nothing was changed: the change at line ${chunk.line} of the patch fits ${path} in several places, at lines ${lines}. Give more lines around it, or a line above it after "@@".`,
  );
}
