import type { Summary } from '../contract/store.ts';

/** A conversation that nobody started, or whose starter is gone, and all that it started, and what those started. */
export interface ConversationTree {
  /** Children before their parents. */
  readonly members: readonly Summary[];
  /** UTC milliseconds of the last change of any of them. */
  readonly updatedAt: number;
}

/** Puts conversations together; the family that changed last comes first. Pure. */
export function conversationTrees(
  summaries: readonly Summary[],
  parentOf: (summary: Summary) => string | undefined,
): readonly ConversationTree[] {
  const known = new Map(summaries.map((summary) => [summary.id, summary]));
  const families = new Map<string, { readonly summary: Summary; readonly depth: number }[]>();
  for (const summary of summaries) {
    const line = lineOf(summary, (one) => known.get(parentOf(one) ?? ''));
    const root = line.at(-1) ?? summary;
    const members = families.get(root.id) ?? [];
    members.push({ summary, depth: line.length });
    families.set(root.id, members);
  }
  return [...families.values()]
    .map((members) => ({
      members: members.toSorted((one, other) => other.depth - one.depth).map(({ summary }) => summary),
      updatedAt: Math.max(...members.map(({ summary }) => summary.updatedAt)),
    }))
    .toSorted((one, other) => other.updatedAt - one.updatedAt);
}

/** A conversation, its parent, and so on; of conversations that start each other, the first by id ends the line. */
function lineOf(summary: Summary, parent: (summary: Summary) => Summary | undefined): readonly Summary[] {
  const line = [summary];
  for (let next = parent(summary); next; next = parent(next)) {
    const start = line.indexOf(next);
    if (start !== -1) {
      const [first = next] = line.slice(start).toSorted((one, other) => (one.id < other.id ? -1 : 1));
      return first === summary ? [summary] : [...line.filter((one) => one !== first), first];
    }
    line.push(next);
  }
  return line;
}
