import { eventCodec } from '@varve/events';
import { defineFact } from '@varve/events/facts';
import { readEvents, type Agent } from '@varve/agent';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { EventStore } from '@varve/storage';
import * as z from 'zod';
import { HostError } from '../error.ts';

/** Agents in code by name; a function makes one for each conversation. */
export type AgentsByName = Readonly<Record<string, Agent | (() => Agent | Promise<Agent>)>>;

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

/** Returns the agent in code with a name. @throws {HostError} `unknown-agent`. */
export async function agentNamed(name: string, agents: AgentsByName): Promise<Agent> {
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (agent === undefined) throw new HostError('unknown-agent', `The host has no agent ${JSON.stringify(name)}.`);
  return typeof agent === 'function' ? agent() : agent;
}
