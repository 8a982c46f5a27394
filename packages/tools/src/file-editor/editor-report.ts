import { text, type Content } from '@varve/events';
import type { FileEditorObservation } from '@varve/events/payloads';
import { numberedLines } from './numbered-lines.ts';
import type { Changed } from './replace-text.ts';
import { linesOf, unixText } from '../files/unix-text.ts';

/** The fields of a file editor observation. */
export type EditorReport = Parameters<typeof FileEditorObservation.create>[0];

/** The part of an observation that says which command did it. */
export type CallFields = Pick<EditorReport, 'command' | 'path'>;

/** Longer contents stay out of the log; the file has them. */
const mostContent = 256 * 1024;
/** Lines shown before and after a change. */
const around = 4;

/** A result that changed nothing. */
export function success(done: CallFields, ...content: readonly (string | Content)[]): EditorReport {
  return { ...done, content: content.map((block) => (typeof block === 'string' ? text(block) : block)) };
}

/** A command that was not carried out, and why. */
export function failure(done: CallFields, reason: string): EditorReport {
  return { ...done, content: [text(reason)], is_error: true };
}

/** What stood in the file before and after, left out where it is long. */
export function contents(before: string | undefined, after: string | undefined): Partial<EditorReport> {
  const long = [before, after].some((content) => (content?.length ?? 0) > mostContent);
  if (long) return {};
  return { ...(before !== undefined && { old_content: before }), ...(after !== undefined && { new_content: after }) };
}

/** The changed lines and some around them, with their numbers. */
export function snippet({ text: changed, first, last }: Changed, maxChars: number): string {
  const from = Math.max(1, first - around);
  const to = last + around;
  return numberedLines(linesOf(unixText(firstLines(changed, to)).text).slice(from - 1, to), { first: from, maxChars });
}

/** A text up to the end of a line: of a large file, not all lines are needed. */
function firstLines(all: string, count: number): string {
  let end = -1;
  for (let line = 0; line < count; line += 1) {
    end = all.indexOf('\n', end + 1);
    if (end < 0) return all;
  }
  return all.slice(0, end + 1);
}
