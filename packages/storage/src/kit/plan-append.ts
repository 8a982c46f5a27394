import { StorageError } from '../contract/error.ts';
import type { NewEvent } from '../contract/log.ts';
import type { Stored } from '../contract/log-reader.ts';

/** What an append is judged by. */
export interface AppendContext {
  /** The conversation's id, for messages. */
  readonly id: string;
  readonly head: number;
  readonly expectedHead: number | undefined;
  /** The stored event of this id. */
  find(id: string): Pick<Stored, 'seq' | 'text'> | undefined;
}

/** An event to store, and its place. */
export interface PlannedEvent extends NewEvent {
  readonly seq: number;
}

/** What an append comes to. */
export interface AppendPlan {
  /** One per event asked for, in order. */
  readonly seqs: readonly number[];
  /** The events to store, in order; those stored already are left out. */
  readonly fresh: readonly PlannedEvent[];
}

/** Decides what to store, before anything is stored. Pure. @throws {StorageError} `duplicate`, `conflict`. */
export function planAppend(events: readonly NewEvent[], context: AppendContext): AppendPlan {
  const { id, head, expectedHead } = context;
  const seen = new Set<string>();
  const fresh: PlannedEvent[] = [];
  const seqs: number[] = [];
  for (const event of events) {
    const stored = context.find(event.id);
    if (seen.has(event.id)) throw new StorageError('duplicate', `Event ${event.id} is twice in one append to ${id}.`);
    if (stored && stored.text !== event.text) {
      throw new StorageError('duplicate', `Event ${event.id} is in conversation ${id} already, with another text.`);
    }
    seen.add(event.id);
    const seq = stored?.seq ?? head + fresh.length;
    if (!stored) fresh.push({ seq, ...event });
    seqs.push(seq);
  }
  const known = events.length - fresh.length;
  const isResend = known > 0 && fresh.length === 0;
  if (expectedHead !== undefined && expectedHead !== head - known && !isResend) {
    throw new StorageError('conflict', `Conversation ${id} has ${head} events, not the ${expectedHead} expected.`);
  }
  return { seqs, fresh };
}
