import { AgentError } from '@varve/agent';
import type { Json } from '@varve/events';
import { StorageError, type EventStore } from '@varve/storage';
import { isAddressable } from './info/conversation-id.ts';
import { RequestError } from '../error.ts';
import type { OpenConversations } from './open-conversations.ts';

/** Options of {@link recoverRuns}. */
export interface RecoverOptions {
  readonly store: EventStore;
  readonly use: OpenConversations['use'];
  readonly onFailure: (error: unknown, conversationId: string) => void;
}

/**
 * Continues the runs that a crash of the server ended: what was running or waited for its turn continues, and what
 * waited for a person still waits. Conversations that the server did not create are left to their owners, and so are
 * those that another process holds.
 */
export async function recoverRuns({ store, use, onFailure }: RecoverOptions): Promise<void> {
  const ids = runningIds(store);
  const lane = async (): Promise<void> => {
    for await (const id of ids) {
      try {
        await use(id, async (live) => live.configuration && live.runs.resume());
      } catch (error) {
        // Leaving the loop ends the listing for all lanes.
        if (error instanceof RequestError && error.code === 'stopping') return;
        if (!isOwned(error)) onFailure(error, id);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Conversations that are opened at a time: a server of tools may take half a minute to start or to fail. */
const lanes = 8;

async function* runningIds(store: EventStore): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const page = await store.list({ limit: 1000, ...(after !== undefined && { after }) });
    for (const { id, meta } of page.items) if (isRunning(meta) && isAddressable(id)) yield id;
    after = page.next;
  } while (after !== undefined);
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
