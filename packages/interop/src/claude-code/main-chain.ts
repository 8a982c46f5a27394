import { stringOf, type Fields } from '../common/foreign-json.ts';

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
  const chain = [...wanted].toReversed().filter(isMessage);
  return { chain, others: messages.length - chain.length };
}

function withId(line: SessionRecord): readonly (readonly [string, SessionRecord])[] {
  const id = stringOf(line.fields['uuid']);
  return id === undefined ? [] : [[id, line]];
}

function isMessage({ fields }: SessionRecord): boolean {
  return (fields['type'] === 'user' || fields['type'] === 'assistant') && typeof fields['message'] === 'object';
}
