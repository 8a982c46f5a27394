import type { Conversation } from '@varve/agent';
import { changesOf } from '@varve/events/projections';
import { styled, type Output } from '../terminal/output.ts';
import { editRows } from '../wording/edit-rows.ts';

/** Hashes of a file before and after a change; null: there was no file. */
interface ChangedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Rows of the difference of one file, and characters of a row. */
const maxRows = 60;
const maxRow = 200;

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
    const [old_content, new_content] = [contents.get(before), contents.get(after)];
    const isKnown = old_content !== undefined && new_content !== undefined;
    const rows = isKnown ? editRows({ old_content, new_content }) : ['The log does not contain both as text.'];
    for (const row of rows.slice(0, maxRows)) stdout.line(row.slice(0, maxRow));
    if (rows.length > maxRows) stdout.line(`… ${rows.length - maxRows} more`);
  }
}
