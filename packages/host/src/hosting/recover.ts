import { AgentError } from '@varve/agent';
import type { Json } from '@varve/events';
import { StorageError, type EventStore, type Summary } from '@varve/storage';
import { unlessMissing } from '@varve/storage/kit';
import { HostError } from '../error.ts';
import type { OpenConversation, OpenConversations } from './open-conversations.ts';

/** Options of {@link recoverRuns}. */
export interface RecoverOptions {
  readonly use: OpenConversations<OpenConversation>['use'];
  readonly onFailure: (error: unknown, conversationId: string) => void;
}

/**
 * Continues runs that a crash of the server ended: what was running or waited for its turn continues, and what
 * waited for a person still waits. Conversations that the server did not create are left to their owners, and so are
 * those that another process holds.
 */
export async function recoverRuns(ids: AsyncGenerator<string>, { use, onFailure }: RecoverOptions): Promise<void> {
  const lane = async (): Promise<void> => {
    for await (const id of ids) {
      try {
        await use(id, async (live) => live.isResumable && live.hosted.runs.resume());
      } catch (error) {
        // Leaving the loop ends the listing for all lanes.
        if (error instanceof HostError && error.code === 'stopping') return;
        if (!isOwned(error)) onFailure(error, id);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Conversations that are opened at a time: a server of tools may take half a minute to start or to fail. */
const lanes = 8;

/** Yields the conversations of a store that run and that a host created, except those that another replica holds. */
export async function* runningIds(store: EventStore, isHosted: AbandonedOptions['isHosted']): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const page = await store.list({ limit: 1000, ...(after !== undefined && { after }) });
    for (const summary of page.items) {
      const { id, meta } = summary;
      if (!isRunning(meta) || !(await isHosted(summary))) continue;
      if ((await store.replicas?.addressOf(id)) === undefined) yield id;
    }
    after = page.next;
  } while (after !== undefined);
}

/** Options of {@link abandonedRuns}. */
export interface AbandonedOptions {
  readonly store: EventStore;
  /** Returns true for a conversation that a host created. */
  readonly isHosted: (summary: Summary) => Promise<boolean>;
  /** Returns true if a run could start now. */
  readonly hasRoom: () => boolean;
}

/**
 * Yields those of these conversations that run and that a server created, and releases those that do not run. It ends
 * when there is no room: other replicas may have some.
 */
export async function* abandonedRuns(
  ids: readonly string[],
  { store, isHosted, hasRoom }: AbandonedOptions,
): AsyncGenerator<string> {
  for (const id of ids) {
    if (!hasRoom()) return;
    const summary = await unlessMissing(store.summary(id));
    if (!summary || !(await isHosted(summary))) continue;
    if (isRunning(summary.meta)) yield id;
    else await store.replicas?.release(id);
  }
}

/** A goal is pursued between its runs, too. */
function isRunning(meta: Json): boolean {
  if (typeof meta !== 'object' || meta === null) return false;
  return ('status' in meta && meta['status'] === 'running') || ('goal' in meta && meta['goal'] === 'running');
}

/** The conversation was removed or closed, or belongs to another process. */
export function isOwned(error: unknown): boolean {
  if (error instanceof StorageError) return ['missing', 'held', 'fenced'].includes(error.code);
  return error instanceof AgentError && ['taken-over', 'busy', 'closed'].includes(error.code);
}
