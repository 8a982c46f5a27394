import { StorageError } from '../contract/error.ts';
import type { EventStore, Summary } from '../contract/store.ts';
import type { ConversationTree, RetentionPlan } from './plan-retention.ts';

/** Result of `applyRetention`. */
export interface RetentionResult {
  /** Ids of the removed conversations, in order of removal. */
  readonly removed: readonly string[];
  /** Ids of the trees that were not removed: a member is held, cannot be opened, or changed after the plan. */
  readonly skipped: readonly (readonly string[])[];
}

/**
 * Removes the conversation trees of a plan, children before their parents. Skips a tree with a member that is held,
 * that cannot be opened or removed, or that changed after the plan was made. May be applied again after a crash:
 * conversations already removed are ignored.
 *
 * @throws {StorageError} as `summary`, `open` and `remove`, except for `held`, `missing`, `corrupt` and `io`.
 */
export async function applyRetention(store: EventStore, { remove }: RetentionPlan): Promise<RetentionResult> {
  const removed: string[] = [];
  const skipped: (readonly string[])[] = [];
  for (const tree of remove) {
    const ids = await removeTree(store, tree);
    if (ids) removed.push(...ids);
    else skipped.push(tree.members.map(({ id }) => id));
  }
  return { removed, skipped };
}

/** Removes a tree and returns the removed ids, or returns `undefined` if the tree is skipped. */
async function removeTree(store: EventStore, { members }: ConversationTree): Promise<readonly string[] | undefined> {
  const present: Summary[] = [];
  for (const member of members) {
    const isFree = await isUnchanged(store, member);
    if (isFree === false) return undefined;
    if (isFree) present.push(member);
  }
  const removed: string[] = [];
  for (const { id } of present) {
    try {
      await store.remove(id);
      removed.push(id);
    } catch (error) {
      if (codeOf(error) === 'missing') continue;
      // Opened by another process since the check: stop here, so that no remaining conversation loses its parent.
      if (isRefused(error)) return removed;
      throw error;
    }
  }
  return removed;
}

/** Returns true if a conversation is not held and not changed since the plan, or `undefined` if it was removed. */
async function isUnchanged(store: EventStore, { id, updatedAt, head }: Summary): Promise<boolean | undefined> {
  try {
    // A damaged conversation is removed like any other.
    const log = await store.open(id, { purpose: 'repair' });
    await log[Symbol.asyncDispose]();
    const now = await store.summary(id);
    return now.updatedAt === updatedAt && now.head === head;
  } catch (error) {
    if (codeOf(error) === 'missing') return undefined;
    if (isRefused(error)) return false;
    throw error;
  }
}

/** Returns true for a failure of one conversation, which must not keep the others. */
function isRefused(error: unknown): boolean {
  return ['held', 'corrupt', 'io'].includes(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof StorageError ? error.code : undefined;
}
