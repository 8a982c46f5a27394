import { StorageError, type Stored } from '@varve/storage';
import type { ConversationSources } from '../reference/info/conversation-folds.ts';
import { fullStateText } from './full-state.ts';
import { LiveLog } from './live-log.ts';
import { transientEvents } from './transient-events.ts';

/** Use of a live log by one subscriber. */
export interface LiveLogUse extends Disposable {
  readonly log: LiveLog;
}

/** Live logs of the conversations that have subscribers. */
export interface LiveLogs {
  /**
   * Returns the live log of a conversation, which all its users share. The last one to dispose of its use ends it.
   *
   * @throws {StorageError} `missing`, `corrupt`, `io`.
   */
  use(conversationId: string): Promise<LiveLogUse>;
  /** Number of uses of a live log. */
  countOf(conversationId: string): number;
  /** Aborts when the server stops; every stream ends then. */
  readonly stopped: AbortSignal;
  stop(): void;
}

interface Entry {
  readonly log: LiveLog;
  users: number;
}

/** Creates the live logs of a store. `onStored` receives each event of a conversation that has subscribers. */
export function liveLogs(
  sources: ConversationSources,
  onStored?: (conversationId: string, stored: Stored) => void,
): LiveLogs {
  const entries = new Map<string, Entry>();
  const stopping = new AbortController();
  const usable = (id: string): Entry | undefined => {
    const entry = entries.get(id);
    // A conversation that was removed may exist again.
    return entry?.log.hasFailed === true ? undefined : entry;
  };
  const useOf = (id: string, entry: Entry): LiveLogUse => {
    entry.users += 1;
    const release = once(() => {
      entry.users -= 1;
      if (entry.users > 0) return;
      if (entries.get(id) === entry) entries.delete(id);
      entry.log[Symbol.dispose]();
    });
    return { log: entry.log, [Symbol.dispose]: release };
  };
  return {
    stopped: stopping.signal,
    stop: () => stopping.abort(),
    countOf: (id) => entries.get(id)?.users ?? 0,
    async use(id) {
      const known = usable(id);
      if (known) return useOf(id, known);
      const options = {
        ...(await optionsOf(id, sources)),
        onStored: onStored && ((stored: Stored) => onStored(id, stored)),
      };
      // Another call may have created it since.
      const entry = usable(id) ?? { log: new LiveLog(options), users: 0 };
      entries.set(id, entry);
      return useOf(id, entry);
    },
  };
}

async function optionsOf(id: string, { store, folds, feed, now }: ConversationSources) {
  const reader = await store.read(id);
  const loss = await reader.loss?.();
  if (loss) throw new StorageError('incomplete', loss.message);
  return {
    reader,
    next: await reader.head(),
    feed,
    transient: transientEvents(now),
    fullState: () => fullStateText(id, { store, folds }),
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
