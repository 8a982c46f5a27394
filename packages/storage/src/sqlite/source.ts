import { StorageError } from '../contract/error.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { LogSource } from '../kit/reader.ts';
import type { Connection } from './connection.ts';
import { readEvents, type EventRange } from './events.ts';
import { sqliteProof } from './seals.ts';
import type { Statements } from './statements.ts';

/** Bounds the memory of a page: it ends with the event that reaches either. */
const pageEvents = 256;
const pageCharacters = 1_000_000;

/** Which log to read. */
export interface SqliteSourceOptions {
  readonly id: string;
  readonly key: number;
  readonly closed: AbortSignal;
}

/** Reads the log of the conversation with this key. */
export function sqliteSource(
  connection: Connection,
  { id, key, closed }: SqliteSourceOptions,
): LogSource & { readonly proof: LogProof } {
  const { statements, wake } = connection;
  const read = async <T>(work: () => T): Promise<T> => {
    if (closed.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
    return connection.read(work);
  };
  return {
    id,
    head: async () =>
      read(() => {
        const head = statements.state.get(key)?.['head'];
        if (typeof head !== 'number') throw new StorageError('missing', `Conversation ${id} was removed.`);
        return head;
      }),
    page: async (from, to) => read(() => page(statements, { id, key, from, to, limit: pageEvents })),
    seqOf: async (eventId) =>
      read(() => {
        const seq = statements.seqById.get(key, eventId)?.['seq'];
        return typeof seq === 'number' ? seq : undefined;
      }),
    arm: () => wake.arm(key),
    closed,
    proof: sqliteProof(statements, { id, key, read }),
  };
}

/** What can be read before the first event that cannot; that one fails when it is the first. */
function page(statements: Statements, which: EventRange): readonly Stored[] {
  const events: Stored[] = [];
  let characters = 0;
  try {
    for (const event of readEvents(statements, which)) {
      events.push(event);
      characters += event.text.length;
      if (characters >= pageCharacters) break;
    }
  } catch (error) {
    if (events.length === 0) throw error;
  }
  return events;
}
