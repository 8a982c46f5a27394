import { StorageError } from '../contract/error.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { LogLoss } from '../contract/loss.ts';
import type { Stored } from '../contract/log-reader.ts';
import { checkLogOpen } from '../kit/checks.ts';
import type { LogSource } from '../kit/reader.ts';
import type { Connection } from './connection.ts';
import { type ConversationKey, type EventRange, readEvents } from './events.ts';
import { findLoss } from './loss.ts';
import type { Read } from './read-rows.ts';
import { logProof } from './seals.ts';
import { type Statements, toLogState } from './statements.ts';

/** Limits of a page, which bound its memory: it ends with the event that reaches one of them. */
const pageEvents = 256;
const pageCharacters = 1_000_000;

/** A conversation to read until `closed` aborts. */
export interface ReadOptions extends ConversationKey {
  readonly closed: AbortSignal;
}

/** Creates the source of a conversation's reader. */
export function logSource(
  connection: Connection,
  { id, key, closed }: ReadOptions,
): LogSource & { readonly proof: LogProof } {
  const { statements, wake } = connection;
  const read: Read = async (work) => {
    checkLogOpen(id, closed);
    return connection.read(work);
  };
  const headOf = (): number => {
    const row = statements.logState.get(key);
    if (!row) throw new StorageError('missing', `Conversation ${id} was removed.`);
    return toLogState(row).head;
  };
  return {
    id,
    head: async () => read(headOf),
    loss: async () => read(() => currentLoss(statements, { id, key }, headOf)),
    page: async (from, to) => read(() => readPage(statements, { id, key, from, to, limit: pageEvents })),
    seqOf: async (eventId) =>
      read(() => {
        const seq = statements.seqById.get(key, eventId)?.['seq'];
        return typeof seq === 'number' ? seq : undefined;
      }),
    arm: () => wake.arm(key),
    closed,
    proof: logProof(statements, { id, key }, read),
  };
}

/** Searches again if the head has changed: an append of another process is not a loss. */
function currentLoss(statements: Statements, conversation: ConversationKey, headOf: () => number): LogLoss | undefined {
  for (let head = headOf(); ;) {
    const loss = findLoss(statements, { ...conversation, head });
    const now = headOf();
    if (!loss || now === head) return loss;
    head = now;
  }
}

/** Reads up to the first unreadable event. Rejects only if that event is the first. */
function readPage(statements: Statements, range: EventRange): readonly Stored[] {
  const events: Stored[] = [];
  let characters = 0;
  try {
    for (const event of readEvents(statements, range)) {
      events.push(event);
      characters += event.text.length;
      if (characters >= pageCharacters) break;
    }
  } catch (error) {
    if (events.length === 0) throw error;
  }
  return events;
}
