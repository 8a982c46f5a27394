import type { Replicas } from '@varve/storage';
import { recordsIn } from './shared-commands.ts';

/**
 * Returns the requests in the database that the replica at an address gives conversations up, because the one that asks
 * cannot reach it: a record for each conversation.
 */
function requestsTo(address: string, records: Replicas['records']) {
  return recordsIn(`wanted/${encodeURIComponent(address)}`, records);
}

/** Asks the replica at an address for a conversation, until the result is disposed. */
export async function askFor(id: string, address: string, records: Replicas['records']): Promise<AsyncDisposable> {
  const requests = requestsTo(address, records);
  await requests.write(id, '');
  return { [Symbol.asyncDispose]: () => requests.remove(id) };
}

/** Options of {@link wantedConversations}. */
export interface WantedOptions {
  readonly records: Replicas['records'];
  /** URL of this replica. */
  readonly address: string;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

/** Conversations that others want of this replica. */
export interface Wanted {
  /**
   * Returns those that were wanted at the last look, too: a request that a short failure of a network delays is sent
   * again in that time.
   */
  look(): Promise<readonly string[]>;
  /** Returns true for one that was wanted recently: this replica does not take it back. */
  isForOthers(id: string): boolean;
}

/** Time during which a conversation is left to other replicas. */
const othersMs = 60_000;

/** Reads the requests of other replicas to this one. */
export function wantedConversations({ records, address, now }: WantedOptions): Wanted {
  const requests = requestsTo(address, records);
  const givenAt = new Map<string, number>();
  let before: ReadonlySet<string> | undefined;
  return {
    async look() {
      const names = await requests.names();
      // What is there at the first look was meant for a process before this one, or will be there at the next.
      const ids = names.filter((name) => before?.has(name));
      before = new Set(names);
      for (const id of ids) givenAt.set(id, now());
      for (const [id, at] of givenAt) if (now() - at > othersMs) givenAt.delete(id);
      return ids;
    },
    isForOthers: (id) => givenAt.has(id),
  };
}
