import { StorageError } from '../contract/error.ts';
import type { EventStore, Summary } from '../contract/store.ts';
import type { ConversationTree, RetentionPlan } from './plan-retention.ts';

/** What came of a plan. */
export interface RetentionResult {
  /** Ids of those that are gone, in the order in which they went. */
  readonly removed: readonly string[];
  /** Families that stayed whole: somebody worked on one of them, or had since the plan was made. */
  readonly skipped: readonly (readonly string[])[];
}

/**
 * Removes what a plan says, children before their parents. A family of which one is held, or changed after the plan was
 * made, stays whole. May be applied again after a crash: what is gone is passed over.
 *
 * @throws {StorageError} as `summary`, `open` and `remove`, but for `held` and `missing`.
 */
export async function applyRetention(store: EventStore, { remove }: RetentionPlan): Promise<RetentionResult> {
  const removed: string[] = [];
  const skipped: (readonly string[])[] = [];
  for (const family of remove) {
    const gone = await removeFamily(store, family);
    if (gone) removed.push(...gone);
    else skipped.push(family.members.map(({ id }) => id));
  }
  return { removed, skipped };
}

/** Gives what went, or nothing when it stays. */
async function removeFamily(store: EventStore, { members }: ConversationTree): Promise<readonly string[] | undefined> {
  const there: Summary[] = [];
  for (const member of members) {
    const free = await isFree(store, member);
    if (free === false) return undefined;
    if (free) there.push(member);
  }
  const gone: string[] = [];
  for (const { id } of there) {
    try {
      await store.remove(id);
      gone.push(id);
    } catch (error) {
      if (codeOf(error) === 'missing') continue;
      // Taken a moment ago: it and its parents stay, nothing that stays has lost its parent.
      if (codeOf(error) === 'held') return gone;
      throw error;
    }
  }
  return gone;
}

/** Whether nobody works on it, nor has since; nothing when it is gone. */
async function isFree(store: EventStore, { id, updatedAt, head }: Summary): Promise<boolean | undefined> {
  try {
    const log = await store.open(id);
    await log[Symbol.asyncDispose]();
    const now = await store.summary(id);
    return now.updatedAt === updatedAt && now.head === head;
  } catch (error) {
    if (codeOf(error) === 'missing') return undefined;
    if (codeOf(error) === 'held') return false;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof StorageError ? error.code : undefined;
}
