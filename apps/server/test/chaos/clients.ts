import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelRequest } from '@varve/llm';
import type { ScriptedServer, ScriptedTurn } from '@varve/llm/testing';
import { followedEvents, type Followed } from '../follow-events.ts';
import { messageOf, type Stored } from '../replica-conversation.ts';
import { jsonOf, requested, type ReplicaGroup } from '../replica-group.ts';
import type { Durations } from './pauses.ts';

/** A conversation and what its clients know about it. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly acknowledged: string[];
  readonly unknown: string[];
  readonly followed: Followed;
  /** Waits for the acknowledgement of each message. */
  readonly waits: Durations;
}

/** Longest time until every conversation has ended after the last fault. */
const settleMs = 90_000;

/** Options of {@link scriptedTurns}. */
export interface TurnOptions {
  /** Directory of the files that the commands change; known when the replicas have started. */
  readonly directory: () => string;
  /** Commands of each conversation. */
  readonly steps: number;
  /** Returns the milliseconds until a reply. */
  readonly pace: () => number;
  /** Ends all conversations with the next reply. */
  readonly signal: AbortSignal;
  /** Receives the times from each reply of the model to the next request of its conversation. */
  readonly pauses: Durations;
}

/** Returns the replies of a model: the next command of a conversation, which appends its number to a file. */
export function scriptedTurns({ directory, steps, pace, signal, pauses }: TurnOptions) {
  const repliedAt = new Map<string, number>();
  return async ({ messages }: ModelRequest): Promise<ScriptedTurn> => {
    const name = /conversation-\d+/.exec(JSON.stringify(messages))?.[0] ?? '';
    const before = repliedAt.get(name);
    if (before !== undefined) pauses.push(Math.max(0, performance.now() - before));
    const done = messages.filter(({ role }) => role === 'assistant').length;
    if (done < steps && !signal.aborted) {
      const ms = pace();
      repliedAt.set(name, performance.now() + ms);
      await delay(ms, undefined, { signal }).catch(() => undefined);
      return { calls: [{ name: 'terminal', arguments: { command: `echo ${done} >> '${join(directory(), name)}'` } }] };
    }
    // The next request of one that is over follows a message.
    repliedAt.delete(name);
    return { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  };
}

/** Creates a conversation that runs, and follows it. */
export async function createdClient(group: ReplicaGroup, { url }: ScriptedServer, name: string): Promise<Client> {
  const body = {
    workspace: { working_dir: join(group.directory, 'workspace'), kind: 'LocalWorkspace' },
    confirmation_policy: { kind: 'NeverConfirm' },
    max_iterations: 10_000,
    agent: {
      kind: 'Agent',
      llm: {
        model: 'openai/scripted',
        base_url: url,
        api_key: 'sk-of-the-test',
        num_retries: 5,
        retry_min_wait: 0.1,
        retry_max_wait: 1,
      },
    },
    initial_message: messageOf(name),
  };
  const { id } = await jsonOf<Stored>(await requested(group.url, 'POST', '/conversations', body), 'create');
  return { id, name, acknowledged: [name], unknown: [], followed: followedEvents(group.url, id), waits: [] };
}

/** Sends messages now and then. A request that fails is not repeated: whether its message is stored is not known. */
export async function sendMessages(client: Client, group: ReplicaGroup, pace: () => number, signal: AbortSignal) {
  for (let n = 0; ; n += 1) {
    await delay(pace(), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const text = `message-${n}-of-${client.name}`;
    const sentAt = performance.now();
    const isStored = await requested(group.url, 'POST', `/conversations/${client.id}/events`, messageOf(text)).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isStored) client.waits.push(performance.now() - sentAt);
    client[isStored ? 'acknowledged' : 'unknown'].push(text);
  }
}

/** Waits until a conversation has ended, for a limited time, and returns its status. */
export async function endOf({ id }: Client, group: ReplicaGroup): Promise<string> {
  const end = performance.now() + settleMs;
  for (;;) {
    const response = await requested(group.url, 'GET', `/conversations/${id}`).catch(() => undefined);
    const { execution_status: status = 'unknown' } = response?.ok
      ? ((await response.json()) as { readonly execution_status: string })
      : {};
    if (status === 'finished' || performance.now() > end) return status;
    await delay(200);
  }
}

/** Returns the events that clients receive, in order. */
export async function sentEvents({ id }: Client, group: ReplicaGroup): Promise<readonly Stored[]> {
  const events: Stored[] = [];
  for (let page = ''; ;) {
    const path = `/conversations/${id}/events/search?limit=100${page && `&page_id=${page}`}`;
    const { items, next_page_id: next } = await jsonOf<{
      readonly items: readonly Stored[];
      readonly next_page_id: string | null;
    }>(await requested(group.url, 'GET', path), path);
    events.push(...items);
    if (next === null) return events;
    page = next;
  }
}

/** Returns the steps whose commands ran. */
export function effectsOf(directory: string, { name }: Client): readonly number[] {
  try {
    return readFileSync(join(directory, name), 'utf8').trim().split('\n').map(Number);
  } catch {
    return []; // No command has run.
  }
}
