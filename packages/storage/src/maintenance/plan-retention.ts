import type { EventStore, Summary } from '../contract/store.ts';
import { allSummaries } from '../kit/listing.ts';
import { type FailedConversation, failedConversation } from './failed-conversation.ts';

/** What a store may keep. A limit that is absent limits nothing. */
export interface RetentionLimits {
  /** A family whose last change is longer ago goes. */
  readonly maxAgeMs?: number;
  /** So many conversations stay, those of the families that changed last. */
  readonly maxCount?: number;
  /** So many bytes of events stay, UTF-8. Counting them reads the logs. */
  readonly maxBytes?: number;
  /** Whether a conversation stays in any case, and its family with it; it counts all the same. */
  readonly keep?: (summary: Summary) => boolean;
  /** The id of the conversation that this one was started by; default `meta.parent`, where that is a text. */
  readonly parentOf?: (summary: Summary) => string | undefined;
}

/** Which conversations would go, and why. Nothing is changed by making it: it is the dry run. */
export interface RetentionPlan {
  readonly remove: readonly PlannedRemoval[];
  /** The number of conversations that stay. */
  readonly kept: number;
  /** Of their events; absent without `maxBytes`. */
  readonly keptBytes?: number;
  /** Conversations whose bytes could not be counted; they count as far as they were read, and do not go for `bytes`. */
  readonly failed: readonly FailedConversation[];
}

/** A family that goes, all of it. */
export interface PlannedRemoval extends ConversationTree {
  readonly reason: 'age' | 'count' | 'bytes';
}

/**
 * Decides what goes so that a store keeps within limits. A conversation and those that it started are one family, as old
 * as its last change: it goes or stays as a whole, so none of it is left an orphan.
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
  for (const family of conversationTrees(await allSummaries(store), limits.parentOf ?? parentInMeta)) {
    const count = family.members.length;
    const { bytes, failures } = maxBytes === Infinity ? uncounted : await countBytes(store, family);
    failed.push(...failures);
    const because = reason({
      age: family.updatedAt < oldest,
      count: kept + count > maxCount,
      bytes: failures.length === 0 && keptBytes + bytes > maxBytes,
    });
    if (because !== undefined && !family.members.some((member) => keep(member)))
      remove.push({ ...family, reason: because });
    else {
      kept += count;
      keptBytes += bytes;
    }
  }
  return { remove, kept, ...(maxBytes < Infinity && { keptBytes }), failed };
}

function reason(exceeded: Readonly<Record<PlannedRemoval['reason'], boolean>>): PlannedRemoval['reason'] | undefined {
  return (['age', 'count', 'bytes'] as const).find((limit) => exceeded[limit]);
}

/** Of the events of a family, and of whom that is not all. */
interface ByteCount {
  readonly bytes: number;
  readonly failures: readonly FailedConversation[];
}

const uncounted: ByteCount = { bytes: 0, failures: [] };

async function countBytes(store: EventStore, { members }: ConversationTree): Promise<ByteCount> {
  let bytes = 0;
  const failures: FailedConversation[] = [];
  for (const { id } of members) {
    try {
      for await (const { text } of (await store.read(id)).range(0)) bytes += Buffer.byteLength(text);
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
