import { eventCodec } from '@varve/events';
import { defineFact } from '@varve/events/facts';
import { readEvents } from '@varve/agent';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { EventStore } from '@varve/storage';
import * as z from 'zod';

/** Name of the agent in code that a host created a conversation with. The first one of a log applies. */
export const hostedAgentFact = defineFact('varve.host.agent', () => z.strictObject({ name: z.string().min(1) }));

const codec = eventCodec([ConversationStateUpdateEvent]);

/** Returns the name of the agent in code of a conversation; undefined for one that no host created with one. */
export async function hostedAgentName(store: EventStore, id: string): Promise<string | undefined> {
  const log = await store.read(id);
  for await (const { event } of readEvents(log.range(0), codec)) {
    const name = hostedAgentFact.read(event)?.name;
    if (name !== undefined) return name;
  }
  return undefined;
}
