import { structuredPatch } from 'diff';
import type { Conversation } from '@varve/agent';
import { changesOf } from '@varve/events/projections';
import { fitted } from '../terminal/columns.ts';
import { styled, type Output, type Printable } from '../terminal/output.ts';

/** Hashes of a file before and after a change; null: there was no file. */
interface ChangedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Lines of the difference of one file, and columns of a line. */
const maxLines = 60;
const maxColumns = 200;
/** Changed lines from which on a difference is not computed. */
const maxEditLength = 2000;

/** Prints the differences of files with the contents of the log, long ones shortened. */
export async function printFileDifferences(
  files: readonly ChangedFile[],
  conversation: Conversation,
  stdout: Output,
): Promise<void> {
  const wanted = new Set(files.flatMap(({ before, after }) => [before, after]));
  const contents = new Map<string | null, string>([[null, '']]);
  for await (const { event } of conversation.events())
    for (const { after, content, encoding } of changesOf(event))
      if (content !== undefined && encoding === undefined && wanted.has(after)) contents.set(after, content);
  for (const { path, before, after } of files) {
    stdout.line(styled('bold', `--- ${before === null ? '/dev/null' : path}`));
    stdout.line(styled('bold', `+++ ${after === null ? '/dev/null' : path}`));
    for (const line of differenceOf(contents.get(before), contents.get(after))) stdout.line(line);
  }
}

function differenceOf(before: string | undefined, after: string | undefined): readonly Printable[] {
  if (before === undefined || after === undefined) return ['the log does not contain both as text'];
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength });
  if (!patch) return [`more than ${maxEditLength} lines differ`];
  const lines = patch.hunks.flatMap((hunk) => [`@@ -${hunk.oldStart} +${hunk.newStart} @@`, ...hunk.lines]);
  const rest = lines.length - maxLines;
  return [...lines.slice(0, maxLines).map(paint), ...(rest > 0 ? [`… ${rest} more lines`] : [])];
}

function paint(line: string): Printable {
  const text = fitted(line, maxColumns);
  return line.startsWith('+') ? styled('green', text) : line.startsWith('-') ? styled('red', text) : text;
}
