import type { Conversation } from '@varve/agent';
import { filesFact, importFact, rewindFact, type FileChange } from '@varve/events/facts';

/** Event after which files were different from before. */
export interface FilePosition {
  readonly id: string;
  readonly seq: number;
  /** Ids of the calls that made the changes, one of which did if they are several; none for something else. */
  readonly calls: readonly string[];
  /** True for a return to earlier files. */
  readonly isReturn: boolean;
  readonly changes: readonly FileChange[];
  readonly previous: FilePosition | undefined;
}

/**
 * Returns the events by which files became what they are, and the id of the last event. What was before a return to
 * earlier files, and is no longer in them, is left out.
 */
export async function filePositions(
  conversation: Conversation,
): Promise<{ readonly positions: readonly FilePosition[]; readonly lastId: string | undefined }> {
  let all: FilePosition[] = [];
  const heads = new Map<string, number>();
  let [now, lastId]: [FilePosition | undefined, string | undefined] = [undefined, undefined];
  for await (const { event, seq } of conversation.events()) {
    lastId = event.id;
    if (importFact.read(event)) [all, now] = [[], undefined];
    const started = rewindFact.read(event);
    if (started) heads.set(event.id, started.head);
    const fact = filesFact.read(event);
    if (!fact) continue;
    const { action_id: call, action_ids: calls = call === undefined ? [] : [call], rewind_id: returned = '' } = fact;
    const head = heads.get(returned);
    if (head !== undefined) now = all.findLast((position) => position.seq < head);
    heads.delete(returned);
    // Files are recorded as they were found before they are changed.
    const changes = fact.changes.filter(({ before, after }) => fact.outside !== true || before !== after);
    if (changes.length === 0) continue;
    now = { id: event.id, seq, calls, isReturn: returned !== '', changes: changes.map(withoutContent), previous: now };
    all.push(now);
  }
  const positions: FilePosition[] = [];
  for (let each = now; each; each = each.previous) positions.unshift(each);
  return { positions, lastId };
}

function withoutContent({ content: _content, ...change }: FileChange): FileChange {
  return change;
}
