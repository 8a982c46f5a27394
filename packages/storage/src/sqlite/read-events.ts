import type { Stored } from '../contract/log-reader.ts';
import { toEvent } from './rows.ts';
import type { Statements } from './statements.ts';
import { type WhichConversation, wholeText } from './whole-text.ts';

/** Which events are read. */
export interface WhichEvents extends WhichConversation {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly limit: number;
}

/**
 * Events of one conversation with their exact texts, in order of seq. Reads one moment of the database until it ends.
 *
 * @throws {StorageError} `corrupt` when a part of a text is lost.
 */
export function* readEvents(statements: Statements, { id, key, from, to, limit }: WhichEvents): Generator<Stored> {
  for (const row of statements.events.iterate(key, from, to, limit)) {
    const event = toEvent(row);
    const { seq, id: eventId, kind, parent_id: parentId } = event;
    const text = wholeText(statements, { id, key }, event);
    yield { seq, id: eventId, kind, parentId: parentId ?? undefined, text };
  }
}
