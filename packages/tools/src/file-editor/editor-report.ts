import { text, type Content } from '@varve/events';
import type { FileEditorObservation } from '@varve/events/payloads';
import { numberedLines } from './numbered-lines.ts';
import type { Changed } from './replace-text.ts';
import { isRefusal, refuse, type Refusal } from '../files/refusal.ts';
import { decodeText } from '../files/text-encoding.ts';
import { encodeLike, type TextFile } from '../files/text-file.ts';
import { linesOf, unixText } from '../files/unix-text.ts';

/** Fields of a file editor observation. */
export type EditorReport = Parameters<typeof FileEditorObservation.create>[0];

/** Fields of an observation that identify the call. */
export type CallFields = Pick<EditorReport, 'command' | 'path'>;

/** Maximum length of file contents in an observation, and so in the log. */
const maxContentChars = 256 * 1024;
/** Number of lines shown before and after a change. */
const contextLines = 4;

/** Returns the observation fields of a successful call. */
export function success(done: CallFields, ...content: readonly (string | Content)[]): EditorReport {
  return { ...done, content: content.map((block) => (typeof block === 'string' ? text(block) : block)) };
}

/** Returns the observation fields of a call that was not executed. */
export function failure(done: CallFields, reason: string): EditorReport {
  return { ...done, content: [text(reason)], is_error: true };
}

/** Returns the contents of a file before and after a call; omitted if one of them is too long. */
export function contents(before: string | undefined, after: string | undefined): Partial<EditorReport> {
  const isTooLong = [before, after].some((content) => (content?.length ?? 0) > maxContentChars);
  if (isTooLong) return {};
  return { ...(before !== undefined && { old_content: before }), ...(after !== undefined && { new_content: after }) };
}

/** Limits of a snippet. */
export interface SnippetOptions {
  readonly maxChars: number;
  /** Returns a text without secrets and with the same lines. */
  readonly mask: (text: string) => string;
}

/** Change of a file, and the bytes that contain it. */
export interface PlannedEdit {
  readonly file: TextFile;
  readonly changed: Changed;
  readonly bytes: Buffer;
  /** Remarks for the model. */
  readonly notes: readonly string[];
}

/** Makes a change to the text of a file. Refused if every byte would stay the same. */
export async function planEdit(
  path: string,
  file: TextFile | Refusal,
  change: (file: TextFile) => Changed | Refusal,
): Promise<PlannedEdit | Refusal> {
  if (isRefusal(file)) return file;
  const changed = change(file);
  if ('refused' in changed) return changed;
  const written = await encodeLike(changed.text, file);
  if (isRefusal(written)) return written;
  const { bytes } = written;
  if (bytes.equals(file.bytes))
    return refuse(`Nothing was changed: ${path} would stay the same, because its line ends are kept.`);
  return { file, changed, bytes, notes: [changed.note, written.note].filter((note) => note !== undefined) };
}

/** Returns the observation fields of an edit that was made. */
export function editReport(
  done: CallFields,
  { file, changed, notes }: PlannedEdit,
  options: SnippetOptions,
): EditorReport {
  const message = [`The file ${done.path} was edited.`, ...notes, 'The lines around the change:'].join(' ');
  const lines = snippet(changed, options);
  return {
    ...success(done, `${message}\n${lines}\nCheck that they are as intended; edit again if not.`),
    ...contents(file.text, changed.text),
  };
}

/** Returns the observation fields of a creation. */
export function creationReport(done: CallFields, content: string): EditorReport {
  return {
    ...success(done, `The file ${done.path} was created.`),
    prev_exist: false,
    ...contents(undefined, content),
  };
}

/** Returns the observation fields of an edit that was undone. A file without bytes now is gone. */
export async function undoReport(
  done: CallFields,
  before: string | undefined,
  bytes: Buffer | undefined,
  { maxChars, mask }: SnippetOptions,
): Promise<EditorReport> {
  if (bytes === undefined)
    return {
      ...success(done, `The creation of ${done.path} was undone: the file is gone.`),
      ...contents(before, undefined),
    };
  const restored = (await decodeText(bytes))?.text ?? '';
  const lines = numberedLines(linesOf(mask(unixText(restored).text)), { first: 1, maxChars });
  return {
    ...success(done, `The last edit of ${done.path} was undone. The file is now:\n${lines}`),
    ...contents(before, restored),
  };
}

/** Returns the changed lines and some lines around them, with line numbers. */
function snippet({ text: changed, first, last }: Changed, { maxChars, mask }: SnippetOptions): string {
  const from = Math.max(1, first - contextLines);
  const to = last + contextLines;
  const lines = linesOf(unixText(firstLines(mask(changed), to)).text);
  return numberedLines(lines.slice(from - 1, to), { first: from, maxChars });
}

/** Returns the first lines of a text, without splitting all of a large one. */
function firstLines(all: string, count: number): string {
  let end = -1;
  for (let line = 0; line < count; line += 1) {
    end = all.indexOf('\n', end + 1);
    if (end < 0) return all;
  }
  return all.slice(0, end + 1);
}
