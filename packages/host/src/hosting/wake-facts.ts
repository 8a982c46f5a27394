import { type BaseEvent, eventCodec } from '@varve/events';
import { defineFact, forkEndFact } from '@varve/events/facts';
import { readEvents } from '@varve/agent';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { EventStore, Fact } from '@varve/storage';
import * as z from 'zod';

/** Message that a conversation receives at a time. */
export interface Wake {
  readonly id: string;
  /** UTC milliseconds. */
  readonly at: number;
  readonly message: string;
}

/** A message is to be sent at a time, in UTC milliseconds. */
export const wakeFact = defineFact('varve.host.wake', () =>
  z.strictObject({ wake_id: z.string(), wake_at: z.number().int(), message: z.string() }),
);

/** The message of a wake was sent, or is not sent: it was cancelled, or a hook blocked it. */
export const wokenFact = defineFact('varve.host.woken', () =>
  z.strictObject({ wake_id: z.string(), outcome: z.enum(['sent', 'cancelled', 'blocked']) }),
);

const codec = eventCodec([ConversationStateUpdateEvent]);

/** Returns the wakes of a conversation that are to come, the first one first. Those of its origin are not a fork's. */
export async function wakesOf(store: Pick<EventStore, 'read'>, id: string): Promise<readonly Wake[]> {
  const wakes = new Map<string, Wake>();
  for await (const { event } of readEvents((await store.read(id)).range(0), codec)) apply(wakes, event);
  return [...wakes.values()].toSorted((one, other) => one.at - other.at);
}

function apply(wakes: Map<string, Wake>, event: BaseEvent): void {
  const wake = wakeFact.read(event);
  if (wake) wakes.set(wake.wake_id, { id: wake.wake_id, at: wake.wake_at, message: wake.message });
  const woken = wokenFact.read(event);
  if (woken) wakes.delete(woken.wake_id);
  if (forkEndFact.read(event)) wakes.clear();
}

/**
 * Returns the conversations of a store with wakes that may be to come, apart from known ones; none in a store that
 * cannot find facts. A known one is the id of its conversation, a slash and its own.
 */
export async function wakingIds(
  store: Pick<EventStore, 'facts'>,
  known: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const ended = new Map<string, number>();
  for await (const fact of factsNamed('varve.host.woken.wake_id', store)) ended.set(nameOf(fact), fact.seq);
  const ids = new Set<string>();
  for await (const fact of factsNamed('varve.host.wake.wake_id', store))
    if (!known.has(nameOf(fact)) && fact.seq > (ended.get(nameOf(fact)) ?? -1)) ids.add(fact.conversation);
  return ids;
}

/** Ids of wakes are unique in a conversation, and may be used again. */
function nameOf({ conversation, value }: Fact): string {
  return `${conversation}/${value}`;
}

async function* factsNamed(name: string, store: Pick<EventStore, 'facts'>) {
  let after: string | undefined;
  do {
    const page = await store.facts?.({ name, limit: 1000, ...(after !== undefined && { after }) });
    yield* page?.items ?? [];
    after = page?.next;
  } while (after !== undefined);
}
