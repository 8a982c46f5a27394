import { fieldsOf, stringOf, stringsOf, type Fields } from '../common/foreign-json.ts';

/** A record of a session file, with its line. */
export interface SessionRecord {
  readonly fields: Fields;
  readonly place: string;
}

/** Messages of a session that are read. */
export interface MainChain {
  readonly chain: readonly SessionRecord[];
  /** Number of other messages, below a branching point of the chain or of sub-agents. */
  readonly others: number;
  /** Messages that no parent connects to the chain. */
  readonly unconnected: readonly SessionRecord[];
  /** Messages that were taken for a parent that the file does not contain. */
  readonly orphans: readonly SessionRecord[];
}

/**
 * Returns the messages on the way from the first record to the last one, in order. A record names its parent; the first
 * one after a compaction names it as its logical parent. A file of a sub-agent has only records of side chains, and
 * a file without parents is in order.
 */
export function mainChain(lines: readonly SessionRecord[]): MainChain {
  const all = lines.filter(isMessage);
  const main = all.filter(({ fields }) => fields['isSidechain'] !== true);
  const messages = main.length > 0 ? main : all;
  const hasParents = lines.some(({ fields }) => typeof fields['parentUuid'] === 'string');
  if (!hasParents) return { chain: messages, others: all.length - messages.length, unconnected: [], orphans: [] };
  const { wanted, orphans } = ancestorsOf(messages, lines);
  const chain = withParallelResults([...wanted].toReversed().filter(isMessage), messages);
  const onChain = new Set(chain);
  const isConnected = connection(lines, new Set(wanted));
  const unconnected = messages.filter((message) => !onChain.has(message) && !isConnected(message));
  return { chain, others: all.length - chain.length - unconnected.length, unconnected, orphans };
}

/** Returns a test of records: whether one of their ancestors is on the chain. */
function connection(
  lines: readonly SessionRecord[],
  onChain: ReadonlySet<SessionRecord>,
): (record: SessionRecord) => boolean {
  const byId = new Map(lines.flatMap((line) => withId(line)));
  const known = new Map<SessionRecord, boolean>();
  return (record) => {
    const way = new Set<SessionRecord>();
    let next: SessionRecord | undefined = record;
    while (next && !onChain.has(next) && !known.has(next) && !way.has(next)) {
      way.add(next);
      const { parentUuid, logicalParentUuid } = next.fields;
      next = byId.get(stringOf(parentUuid) ?? stringOf(logicalParentUuid) ?? '');
    }
    const isConnected = next !== undefined && (onChain.has(next) || known.get(next) === true);
    for (const each of way) known.set(each, isConnected);
    return isConnected;
  };
}

/** Returns the last message and its ancestors, the last one first. */
function ancestorsOf(messages: readonly SessionRecord[], lines: readonly SessionRecord[]) {
  const byId = new Map(lines.flatMap((line) => withId(line)));
  const before = messagesBefore(lines, new Set(messages));
  const wanted = new Set<SessionRecord>();
  const orphans: SessionRecord[] = [];
  let next = messages.at(-1);
  // A record that is its own ancestor ends the chain.
  while (next && !wanted.has(next)) {
    wanted.add(next);
    const parent = parentOf(next, byId, wanted);
    next = parent === 'missing' ? before.get(next) : parent;
    if (parent === 'missing' && next) orphans.push(next);
  }
  return { wanted, orphans };
}

/** Returns the last message before each record in the file; the boundary of a compaction is no message. */
function messagesBefore(lines: readonly SessionRecord[], messages: ReadonlySet<SessionRecord>) {
  let last: SessionRecord | undefined;
  return new Map(
    lines.map((line) => {
      const before = last;
      if (messages.has(line)) last = line;
      return [line, before];
    }),
  );
}

function parentOf(
  { fields }: SessionRecord,
  byId: ReadonlyMap<string, SessionRecord>,
  wanted: ReadonlySet<SessionRecord>,
): SessionRecord | 'missing' | undefined {
  const logical = stringOf(fields['logicalParentUuid']);
  const name = stringOf(fields['parentUuid']) ?? logical;
  // Only the first message of a session has no parent.
  if (name === undefined) return 'missing';
  const parent = byId.get(name);
  if (!parent) return 'missing';
  if (!wanted.has(parent)) return parent;
  // Records that a compaction preserved may have been written again after it: the others precede it.
  const kept = preservedBy(fields).flatMap((id) => byId.get(id) ?? []);
  return kept.findLast((record) => !wanted.has(record));
}

/** Returns the ids of the records that a compaction leaves in the context of the model. */
export function preservedBy(boundary: Fields): readonly string[] {
  const { preservedMessages } = fieldsOf(boundary['compactMetadata']) ?? {};
  return stringsOf(fieldsOf(preservedMessages)?.['uuids']);
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
    const replyId = replyIdOf(record);
    const uuid = stringOf(record.fields['uuid']);
    if (replyId !== undefined && uuid !== undefined) replyOf.set(uuid, replyId);
    const result = hasResult(record) ? replyOf.get(stringOf(record.fields['parentUuid']) ?? '') : undefined;
    const end = ends.get(replyId ?? result ?? '');
    if (!end || onChain.has(record)) continue;
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
