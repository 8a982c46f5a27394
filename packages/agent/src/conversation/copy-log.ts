import type { EventCodec } from '@varve/events';
import { callFact, childFact, runFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { EventLog, LogReader, NewEvent, Stored } from '@varve/storage';

/** So many events are appended at once: a fork of a long log costs few transactions, and little memory. */
const batch = 256;

/**
 * Appends the first `to` events of a log to another, under the same ids, from where that one ends. Replies become inherited ones: they were paid for
 * elsewhere, and their calls cannot be proved not to have run. So do runs, whose time was spent elsewhere.
 */
export async function copyLog(from: LogReader, into: EventLog, codec: EventCodec, to: number): Promise<void> {
  let events: NewEvent[] = [];
  for await (const stored of from.range(await into.head(), to)) {
    events.push(inherited(stored, codec));
    if (events.length < batch) continue;
    await into.append(events);
    events = [];
  }
  await into.append(events);
}

function inherited({ id, kind, parentId, text }: Stored, codec: EventCodec): NewEvent {
  const event = codec.read(text);
  const isSpent = (one: typeof event): boolean =>
    (callFact.read(one) ?? runFact.read(one) ?? childFact.read(one)) !== undefined;
  if (!ConversationStateUpdateEvent.is(event) || !isSpent(event)) return { id, kind, parentId, text };
  const { key, value, timestamp, parent_id } = event;
  const stamp = { id, timestamp, ...(parent_id !== undefined && { parent_id }) };
  const copy = ConversationStateUpdateEvent.create({ key, value: { ...(value as object), inherited: true } }, stamp);
  return { id, kind, parentId, text: codec.encode(copy) };
}
