import { fieldsOf, stringOf, type Fields } from '../common/foreign-json.ts';

/** A record of a session file, with its line. */
export interface SessionRecord {
  readonly fields: Fields;
  readonly place: string;
}

/**
 * Returns the messages on the way from the first record to the last one, in order, and the number of other messages.
 * A record names its parent; the first one after a compaction names it as its logical parent.
 */
export function mainChain(lines: readonly SessionRecord[]): {
  readonly chain: readonly SessionRecord[];
  readonly others: number;
} {
  const byId = new Map(lines.flatMap((line) => withId(line)));
  const messages = lines.filter(isMessage);
  const wanted = new Set<SessionRecord>();
  let next = messages.findLast(({ fields }) => fields['isSidechain'] !== true);
  // A record that is its own ancestor ends the chain.
  while (next && !wanted.has(next)) {
    wanted.add(next);
    const { parentUuid, logicalParentUuid } = next.fields;
    next = byId.get(stringOf(parentUuid) ?? stringOf(logicalParentUuid) ?? '');
  }
  const chain = withParallelResults([...wanted].toReversed().filter(isMessage), messages);
  return { chain, others: messages.length - chain.length };
}

/**
 * Adds the results of parallel calls. Each block of a reply is a record, and the result of a call is a child of the
 * record of its call, so that of several calls only one is on the way to the last record. The others, and their calls,
 * follow the last record of their reply.
 */
function withParallelResults(
  chain: readonly SessionRecord[],
  messages: readonly SessionRecord[],
): readonly SessionRecord[] {
  const onChain = new Set(chain);
  const ends = new Map(chain.flatMap((record) => withReplyId(record)));
  const replyOf = new Map<string, string>();
  const added = new Map<SessionRecord, SessionRecord[]>();
  for (const record of messages) {
    const own = replyIdOf(record);
    const uuid = stringOf(record.fields['uuid']);
    if (own !== undefined && uuid !== undefined) replyOf.set(uuid, own);
    const result = hasResult(record) ? replyOf.get(stringOf(record.fields['parentUuid']) ?? '') : undefined;
    const end = ends.get(own ?? result ?? '');
    if (!end || onChain.has(record) || record.fields['isSidechain'] === true) continue;
    const others = added.get(end) ?? [];
    others.push(record);
    added.set(end, others);
  }
  return chain.flatMap((record) => [record, ...(added.get(record) ?? [])]);
}

function withReplyId(record: SessionRecord): readonly (readonly [string, SessionRecord])[] {
  const id = replyIdOf(record);
  return id === undefined ? [] : [[id, record]];
}

function replyIdOf({ fields }: SessionRecord): string | undefined {
  return fields['type'] === 'assistant' ? stringOf(fieldsOf(fields['message'])?.['id']) : undefined;
}

/** Returns true for a record with the result of a call. */
export function hasResult({ fields }: SessionRecord): boolean {
  const content = fieldsOf(fields['message'])?.['content'];
  return Array.isArray(content) && content.some((block) => fieldsOf(block)?.['type'] === 'tool_result');
}

function withId(line: SessionRecord): readonly (readonly [string, SessionRecord])[] {
  const id = stringOf(line.fields['uuid']);
  return id === undefined ? [] : [[id, line]];
}

/** Returns true for a message, also one that the user wrote while the agent was active. */
function isMessage({ fields }: SessionRecord): boolean {
  if (fields['type'] === 'attachment') return fieldsOf(fields['attachment'])?.['type'] === 'queued_command';
  return (fields['type'] === 'user' || fields['type'] === 'assistant') && typeof fields['message'] === 'object';
}
