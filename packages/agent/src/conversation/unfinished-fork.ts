import * as z from 'zod';
import { lazy, type EventCodec, type Json } from '@varve/events';
import { callFact, childFact, importFact, runFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import {
  StorageError,
  type EventLog,
  type EventStore,
  type LogReader,
  type NewEvent,
  type Stored,
} from '@varve/storage';
import { AgentError } from '../error.ts';
import type { LoggedSettings, UnfinishedFork } from '../log/projections/settings-projection.ts';

const markedMeta = lazy(() => z.looseObject({ fork: z.object({ of: z.string().max(64), events: z.number() }) }));

/**
 * Refuses a log that the `meta` marks as a fork, but that does not begin as one: its process died before the first
 * event, or it was an earlier version, which kept nothing else. A mark next to a longer log has no effect.
 *
 * @throws {AgentError} `incomplete`.
 */
export function checkFork(id: string, meta: Json, { head, settings }: ForkCheck): void {
  const mark = markedMeta().safeParse(meta).data?.fork;
  if (!mark || settings.fork || head > mark.events) return;
  const what = `Conversation ${id} is marked as an unfinished fork of ${JSON.stringify(mark.of)}`;
  throw new AgentError('incomplete', `${what}, and its log does not begin as one.`);
}

/** Log that may be a fork. */
export interface ForkCheck {
  /** Number of its events. */
  readonly head: number;
  readonly settings: LoggedSettings;
}

/**
 * Copies the events that a fork lacks from its origin.
 *
 * @throws {AgentError} `incomplete` when the origin was removed or is too short, or the events are not those of the
 * origin.
 */
export async function copyMissingEvents(
  { of, events }: UnfinishedFork,
  { store, log, codec }: { readonly store: EventStore; readonly log: EventLog; readonly codec: EventCodec },
): Promise<void> {
  const copied = (await log.head()) - 1;
  if (copied >= events) return;
  const what = `Conversation ${log.id} is an unfinished fork of conversation ${of}`;
  const origin = await store.read(of).catch((error: unknown) => {
    if (!(error instanceof StorageError && error.code === 'missing')) throw error;
    throw new AgentError('incomplete', `${what}, which is gone: remove it.`, { cause: error });
  });
  if (of === log.id || (await origin.head()) < events) {
    throw new AgentError('incomplete', `${what}, which does not have its ${events} events: remove it.`);
  }
  if (copied > 0 && (await origin.seqOf((await log.at(copied)).id)) !== copied - 1) {
    throw new AgentError('incomplete', `${what}, and its events are not from there: remove it.`);
  }
  await copyEvents(origin, log, { from: copied, to: events, codec });
}

/**
 * Reports whether a fork ends before an import of its origin: what it copied is the log of another person. True if the
 * origin is gone, because then nothing shows that it was not.
 */
export async function endsBeforeImport(
  { of, events }: UnfinishedFork,
  { store, codec }: { readonly store: EventStore; readonly codec: EventCodec },
): Promise<boolean> {
  const origin = await store.read(of).catch((error: unknown) => {
    if (!(error instanceof StorageError && error.code === 'missing')) throw error;
    return undefined;
  });
  if (!origin) return true;
  for await (const { text } of origin.range(events)) {
    if (text.includes(importFact.key) && importFact.read(codec.read(text))) return true;
  }
  return false;
}

/** Number of events per append: the fork of a long log takes few transactions and little memory. */
const batchSize = 256;

/**
 * Appends the events of a log from `from` to `to` (exclusive) to another under the same ids. Facts of
 * replies, runs and children are marked as inherited: their cost and time were spent elsewhere, and inherited calls
 * cannot be proven never to have run.
 */
async function copyEvents(
  origin: LogReader,
  into: EventLog,
  { from, to, codec }: { readonly from: number; readonly to: number; readonly codec: EventCodec },
): Promise<void> {
  let events: NewEvent[] = [];
  for await (const stored of origin.range(from, to)) {
    events.push(markInherited(stored, codec));
    if (events.length < batchSize) continue;
    await into.append(events);
    events = [];
  }
  await into.append(events);
}

function markInherited({ id, kind, parentId, text }: Stored, codec: EventCodec): NewEvent {
  const event = codec.read(text);
  const isSpent = (other: typeof event): boolean =>
    (callFact.read(other) ?? runFact.read(other) ?? childFact.read(other)) !== undefined;
  if (!ConversationStateUpdateEvent.is(event) || !isSpent(event)) return { id, kind, parentId, text };
  // Not created again: an imported event may have an id that none of this store has.
  const copy = { ...(JSON.parse(text) as object), value: { ...(event.value as object), inherited: true } };
  return { id, kind, parentId, text: JSON.stringify(copy) };
}
