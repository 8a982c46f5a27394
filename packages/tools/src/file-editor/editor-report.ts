import { text, type Content } from '@varve/events';
import type { FileEditorObservation } from '@varve/events/payloads';
import { numberedLines } from './numbered-lines.ts';
import type { Changed } from './replace-text.ts';
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

/** Returns the changed lines and some lines around them, with line numbers. */
export function snippet({ text: changed, first, last }: Changed, { maxChars, mask }: SnippetOptions): string {
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
