import type { BaseEvent } from '@varve/events';
import type { Fields } from '../common/foreign-json.ts';
import { lastOrigin, originsOf, recordsOf, type Dropped } from '../common/origins.ts';
import { eventOf } from './event.ts';
import { EventWriter } from './event-writer.ts';
import { orxhestraFormats } from './read-events.ts';
import { sessionStateOf } from './session-state.ts';
import { isSigned } from './properties.ts';
import { signEvents, type EventSigner } from './trust.ts';

/** Options of {@link writeSession}. */
export interface WriteSessionOptions {
  readonly sessionId: string;
  /** Name of the agent in new events. Default `varve`. */
  readonly agentName?: string;
  /** Signs the events of agents that have no signature. */
  readonly signer?: EventSigner;
}

/** Session as its JSON: `id`, `app_name`, `user_id`, `state`, `events` and `last_update_time`. */
export interface WrittenSession {
  readonly session: Fields;
  readonly dropped: readonly Dropped[];
}

/**
 * Writes the events of one branch as a session. Events of an import are written as they were read. Every run has a
 * start, and an end unless it is the last one and was cut off.
 */
export function writeSession(events: readonly BaseEvent[], options: WriteSessionOptions): WrittenSession {
  const { sessionId, agentName = 'varve', signer } = options;
  const writer = new EventWriter({ sessionId, agentName });
  writer.announce(events);
  const origins = originsOf(events, orxhestraFormats.event);
  const records = events.flatMap((event) => recordsOf(event, origins, (entry) => writer.next(entry)));
  const signed = signer ? withSignatures(records, signer) : records;
  return {
    session: sessionOf(signed, sessionId, lastOrigin(events, orxhestraFormats.session)),
    dropped: writer.dropped.list(),
  };
}

/** Signs the records that are events. Unknown records and unknown fields stay. */
function withSignatures(records: readonly Fields[], signer: EventSigner): readonly Fields[] {
  const parsed = records.map((record) => ({ record, event: eventOf(record) }));
  const signed = signEvents(
    parsed.flatMap(({ event }) => event ?? []),
    signer,
  ).values();
  return parsed.map(({ record, event }) => {
    const now = event && signed.next().value;
    if (!event || !now || isSigned(event) || !isSigned(now)) return record;
    const { signature, signer_did, prev_signature } = now;
    return { ...record, signature, signer_did, prev_signature };
  });
}

/** Returns the record of a session: that of the import with the new events, or one of varve. */
function sessionOf(records: readonly Fields[], id: string, session: Fields | undefined): Fields {
  const events = records.flatMap((record) => eventOf(record) ?? []);
  const last = events.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0);
  const { state } = sessionStateOf(events);
  const stored = { id, app_name: 'varve', user_id: 'user', state, last_update_time: last };
  const { last_update_time: time, ...fields } = session ?? stored;
  return { ...fields, events: records, ...(time !== undefined && { last_update_time: time }) };
}
