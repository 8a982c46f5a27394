import * as z from 'zod';
import type { EventCodec, Json } from '@varve/events';
import { callFact, childFact, runFact } from '@varve/events/facts';
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

/** Mark in the `meta` of a fork until all its events are copied. */
export interface UnfinishedFork {
  /** Id of the origin. */
  readonly of: string;
  /** Number of events that the fork copies. */
  readonly events: number;
  /** Last event of the fork's branch; null for the position before every event. */
  readonly leaf: string | null;
  /** True if these events were imported, and the import itself is not among them. */
  readonly imported?: boolean | undefined;
}

const mark = z.object({
  of: z.string(),
  events: z.number().int().nonnegative(),
  leaf: z.string().nullable(),
  imported: z.boolean().optional(),
});
const markedMeta = z.looseObject({ fork: mark });

/**
 * Returns the mark of a fork whose process died before it was finished. The first event after the copied ones removes
 * the mark, so one next to a longer log was put there by something else and has no effect.
 */
export function unfinishedFork(meta: Json, head: number): UnfinishedFork | undefined {
  const fork = markedMeta.safeParse(meta).data?.fork;
  return fork && head <= fork.events ? fork : undefined;
}

/** Returns the `meta` without the mark. */
export function withoutForkMark(meta: Json): Json {
  const { fork: _fork, ...rest } = meta as Readonly<Record<string, Json>>;
  return rest;
}

/**
 * Copies the events that a fork lacks from its origin.
 *
 * @throws {AgentError} `incomplete` when the origin was removed, or the events are not those of the origin.
 */
export async function copyMissingEvents(
  { of, events }: UnfinishedFork,
  { store, log, codec }: { readonly store: EventStore; readonly log: EventLog; readonly codec: EventCodec },
): Promise<void> {
  if ((await log.head()) >= events) return;
  const origin = await store.read(of).catch((error: unknown) => {
    if (!(error instanceof StorageError && error.code === 'missing')) throw error;
    const what = `Conversation ${log.id} is an unfinished fork, and its origin ${of} is gone: remove it.`;
    throw new AgentError('incomplete', what, { cause: error });
  });
  await checkOrigin(log, origin);
  await copyEvents(origin, log, codec, events);
}

/** Checks that the events so far are those of the origin: the mark is stored next to the log. */
async function checkOrigin(log: LogReader, origin: LogReader): Promise<void> {
  const head = await log.head();
  if (head === 0 || (await origin.seqOf((await log.at(head - 1)).id)) === head - 1) return;
  const what = `Conversation ${log.id} is marked as a fork of ${origin.id}, and its events are not from there`;
  throw new AgentError('incomplete', `${what}: remove it.`);
}

/** Number of events per append: the fork of a long log takes few transactions and little memory. */
const batchSize = 256;

/**
 * Appends the first `to` events of a log to another under the same ids, continuing where that one ends. Facts of
 * replies, runs and children are marked as inherited: their cost and time were spent elsewhere, and inherited calls
 * cannot be proven never to have run.
 */
async function copyEvents(from: LogReader, into: EventLog, codec: EventCodec, to: number): Promise<void> {
  let events: NewEvent[] = [];
  for await (const stored of from.range(await into.head(), to)) {
    events.push(markInherited(stored, codec));
    if (events.length < batchSize) continue;
    await into.append(events);
    events = [];
  }
  await into.append(events);
}

function markInherited({ id, kind, parentId, text }: Stored, codec: EventCodec): NewEvent {
  const event = codec.read(text);
  const isSpent = (one: typeof event): boolean =>
    (callFact.read(one) ?? runFact.read(one) ?? childFact.read(one)) !== undefined;
  if (!ConversationStateUpdateEvent.is(event) || !isSpent(event)) return { id, kind, parentId, text };
  const { key, value, timestamp, parent_id } = event;
  const stamp = { id, timestamp, ...(parent_id !== undefined && { parent_id }) };
  const copy = ConversationStateUpdateEvent.create({ key, value: { ...(value as object), inherited: true } }, stamp);
  return { id, kind, parentId, text: codec.encode(copy) };
}
