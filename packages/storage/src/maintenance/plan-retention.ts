import type { EventStore, Summary } from '../contract/store.ts';
import { allSummaries } from '../kit/listing.ts';
import { checkComplete } from './check-complete.ts';
import { type FailedConversation, failedConversation } from './failed-conversation.ts';

/** Limits for `planRetention`. An absent limit does not apply. */
export interface RetentionLimits {
  /** Maximum time since the last change of a tree. */
  readonly maxAgeMs?: number;
  /** Maximum number of conversations; the trees that changed last are kept. */
  readonly maxCount?: number;
  /** Maximum number of UTF-8 bytes of events. Counting them reads the logs. */
  readonly maxBytes?: number;
  /** Returns true for a conversation to keep in any case, with its whole tree. It still counts towards the limits. */
  readonly keep?: (summary: Summary) => boolean;
  /** Returns the id of the parent conversation; default `meta.parent` if that is a string. */
  readonly parentOf?: (summary: Summary) => string | undefined;
}

/** Conversations to remove, and why. Making a plan changes nothing, so it serves as a dry run. */
export interface RetentionPlan {
  readonly remove: readonly PlannedRemoval[];
  /** Number of conversations that are kept. */
  readonly kept: number;
  /** UTF-8 bytes of the events that are kept; absent without `maxBytes`. */
  readonly keptBytes?: number;
  /** Conversations whose bytes could not all be counted. Their trees are not removed because of `maxBytes`. */
  readonly failed: readonly FailedConversation[];
}

/** A conversation tree to remove as a whole. */
export interface PlannedRemoval extends ConversationTree {
  readonly reason: 'age' | 'count' | 'bytes';
}

/**
 * Plans which conversations to remove so that a store stays within limits. A conversation and its child conversations
 * are one tree, whose age is that of its last change. A tree is kept or removed as a whole, so that no child is left
 * without its parent.
 *
 * @throws {StorageError} as `list`; `closed`.
 */
export async function planRetention(
  store: EventStore,
  limits: RetentionLimits,
  { now = Date.now }: { readonly now?: () => number } = {},
): Promise<RetentionPlan> {
  const { maxAgeMs = Infinity, maxCount = Infinity, maxBytes = Infinity, keep = () => false } = limits;
  const oldest = now() - maxAgeMs;
  const remove: PlannedRemoval[] = [];
  const failed: FailedConversation[] = [];
  let kept = 0;
  let keptBytes = 0;
  for (const tree of conversationTrees(await allSummaries(store), limits.parentOf ?? parentInMeta)) {
    const count = tree.members.length;
    const { bytes, failures } = maxBytes === Infinity ? notCounted : await countBytes(store, tree);
    failed.push(...failures);
    const reason = exceededLimit({
      age: tree.updatedAt < oldest,
      count: kept + count > maxCount,
      bytes: failures.length === 0 && keptBytes + bytes > maxBytes,
    });
    if (reason !== undefined && !tree.members.some((member) => keep(member))) remove.push({ ...tree, reason });
    else {
      kept += count;
      keptBytes += bytes;
    }
  }
  return { remove, kept, ...(maxBytes < Infinity && { keptBytes }), failed };
}

function exceededLimit(
  exceeded: Readonly<Record<PlannedRemoval['reason'], boolean>>,
): PlannedRemoval['reason'] | undefined {
  return (['age', 'count', 'bytes'] as const).find((limit) => exceeded[limit]);
}

/** UTF-8 bytes of a tree's events, and the conversations that could not be read to the end. */
interface ByteCount {
  readonly bytes: number;
  readonly failures: readonly FailedConversation[];
}

const notCounted: ByteCount = { bytes: 0, failures: [] };

async function countBytes(store: EventStore, { members }: ConversationTree): Promise<ByteCount> {
  let bytes = 0;
  const failures: FailedConversation[] = [];
  for (const { id } of members) {
    try {
      const log = await store.read(id);
      for await (const { text } of log.range(0)) bytes += Buffer.byteLength(text);
      await checkComplete(log);
    } catch (error) {
      failures.push(failedConversation(id, error));
    }
  }
  return { bytes, failures };
}

function parentInMeta({ meta }: Summary): string | undefined {
  const parent = typeof meta === 'object' && meta !== null && 'parent' in meta ? meta['parent'] : undefined;
  return typeof parent === 'string' ? parent : undefined;
}

/** A conversation without a parent, or whose parent was removed, and all of its descendants. */
export interface ConversationTree {
  /** Children before their parents. */
  readonly members: readonly Summary[];
  /** UTC milliseconds of the last change of any member. */
  readonly updatedAt: number;
}

/** Groups conversations into trees, last changed first. Pure. */
export function conversationTrees(
  summaries: readonly Summary[],
  parentOf: (summary: Summary) => string | undefined,
): readonly ConversationTree[] {
  const known = new Map(summaries.map((summary) => [summary.id, summary]));
  const trees = new Map<string, { readonly summary: Summary; readonly depth: number }[]>();
  for (const summary of summaries) {
    const chain = ancestry(summary, (link) => known.get(parentOf(link) ?? ''));
    const root = chain.at(-1) ?? summary;
    const members = trees.get(root.id) ?? [];
    members.push({ summary, depth: chain.length });
    trees.set(root.id, members);
  }
  return [...trees.values()]
    .map((members) => ({
      members: members.toSorted((link, other) => other.depth - link.depth).map(({ summary }) => summary),
      updatedAt: members.reduce((newest, { summary }) => Math.max(newest, summary.updatedAt), -Infinity),
    }))
    .toSorted((link, other) => other.updatedAt - link.updatedAt);
}

/** Returns a conversation, its parent, and so on up to the root. In a cycle of parents, the lowest id is the root. */
function ancestry(summary: Summary, parent: (summary: Summary) => Summary | undefined): readonly Summary[] {
  const chain = [summary];
  for (let next = parent(summary); next; next = parent(next)) {
    const start = chain.indexOf(next);
    if (start !== -1) {
      const [first = next] = chain.slice(start).toSorted((link, other) => (link.id < other.id ? -1 : 1));
      return first === summary ? [summary] : [...chain.filter((link) => link !== first), first];
    }
    chain.push(next);
  }
  return chain;
}
