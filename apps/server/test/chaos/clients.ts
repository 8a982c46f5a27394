import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelRequest } from '@varve/llm';
import type { ScriptedServer, ScriptedTurn } from '@varve/llm/testing';
import { followedEvents, type Followed } from '../follow-events.ts';
import { messageOf, type Stored } from '../replica-conversation.ts';
import { jsonOf, requested, type ReplicaGroup } from '../replica-group.ts';
import type { Durations, Interval } from './pauses.ts';

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

/** Time until a reply to a conversation that fills queues. */
const guestMs = 3_000;

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
  /** Returns the seconds of a command. */
  readonly commandSeconds: () => number;
  /** Ends all conversations with the next reply. */
  readonly signal: AbortSignal;
  /** Receives the time from each reply of the model and its command to the next request of its conversation. */
  readonly onPause: (name: string, pause: Interval) => void;
}

/** Returns the replies of a model: the next command of a conversation, which appends its number to a file. */
export function scriptedTurns({ directory, steps, pace, commandSeconds, signal, onPause }: TurnOptions) {
  const repliedAt = new Map<string, number>();
  return async ({ messages }: ModelRequest): Promise<ScriptedTurn> => {
    const name = /(?:conversation|guest)-\d+/.exec(JSON.stringify(messages))?.[0] ?? '';
    const before = repliedAt.get(name);
    if (before !== undefined) onPause(name, { from: Math.min(before, Date.now()), to: Date.now() });
    const done = messages.filter(({ role }) => role === 'assistant').length;
    if (name.startsWith('guest')) await delay(guestMs, undefined, { signal }).catch(() => undefined);
    if (done < (name.startsWith('guest') ? 1 : steps) && !signal.aborted) {
      const [ms, seconds] = name.startsWith('guest') ? [0, 0] : [pace(), commandSeconds()];
      repliedAt.set(name, Date.now() + ms + seconds * 1000);
      await delay(ms, undefined, { signal }).catch(() => undefined);
      // What a command does first is in its order, even if it continues when its replica has ended.
      const command = `echo ${done} >> '${join(directory(), name)}'; sleep ${seconds}`;
      return { calls: [{ name: 'terminal', arguments: { command } }] };
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
    initial_message: { ...messageOf(name), id: randomUUID() },
  };
  const id = randomUUID();
  await repeated(async () =>
    requested(group.url, 'POST', '/conversations', { ...body, conversation_id: id }).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { id, name, acknowledged: [name], unknown: [], followed: followedEvents(group.url, id), waits: [] };
}

/** Options of {@link sendMessages}. */
export interface SendOptions {
  readonly group: ReplicaGroup;
  /** Returns the milliseconds until the next message. */
  readonly pace: () => number;
  /** Returns true for a message with an id, which is repeated until it is acknowledged, and sometimes after that. */
  readonly isRepeated: () => boolean;
  readonly signal: AbortSignal;
}

/** Sends messages now and then. Whether one without an id is stored is not known if its request fails. */
export async function sendMessages(client: Client, { group, pace, isRepeated, signal }: SendOptions) {
  for (let n = 0; ; n += 1) {
    await delay(pace(), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const text = `message-${n}-of-${client.name}`;
    const sentAt = performance.now();
    const hasId = isRepeated();
    const message = { ...messageOf(text), ...(hasId && { id: randomUUID() }) };
    const send = async () => requested(group.url, 'POST', `/conversations/${client.id}/events`, message);
    const isStored = async () =>
      send().then(
        ({ ok }) => ok,
        () => false,
      );
    const isKnown = hasId ? await repeated(isStored, signal) : await isStored();
    if (isKnown) client.waits.push(performance.now() - sentAt);
    client[isKnown ? 'acknowledged' : 'unknown'].push(text);
    if (hasId && isRepeated()) await isStored();
  }
}

const repeatMs = 1_000;

/** Repeats a request until it succeeds, or the signal aborts. */
async function repeated(isDone: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  while (!(await isDone())) {
    if (signal?.aborted) return false;
    await delay(repeatMs);
  }
  return true;
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
