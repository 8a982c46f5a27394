import { eventCodec, type BaseEvent } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { logEntriesOf } from '@varve/events/testing';
import type { EventStore, NewEvent } from '@varve/storage';

/** Content of a test conversation. */
export interface ConversationContents {
  readonly id?: string;
  readonly meta?: Parameters<EventStore['create']>[1];
  readonly events?: readonly BaseEvent[];
}

/** Returns the id of the n-th conversation of a test. */
export function testId(number: number): string {
  return number.toString(16).padStart(32, '0');
}

/** Converts events to the input of a store. */
export function rowsOf(events: readonly BaseEvent[]): readonly NewEvent[] {
  return logEntriesOf(eventCodec(builtinKinds), events);
}

/** Creates a conversation in a store and releases its lease. */
export async function conversationOf(
  store: EventStore,
  { id = testId(1), meta = {}, events = [] }: ConversationContents,
): Promise<string> {
  await using log = await store.create(id, meta);
  await log.append(rowsOf(events));
  return id;
}
