import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelRequest } from '@varve/llm';
import { scriptedServer, type ScriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { canonicalId, verify, type EventStore } from '@varve/storage';
import { postgresStore } from '@varve/storage-postgres';
import { dice } from '../../../../packages/agent/test/dice.ts';
import { freshUrl } from '../../../../packages/storage-postgres/test/server.ts';
import { tcpProxy } from '../../../../packages/storage-postgres/test/tcp-proxy.ts';
import { followedEvents, type Followed } from '../follow-events.ts';
import type { Balance } from '../balancer.ts';
import { jsonOf, replicaGroup, requested, type ReplicaGroup } from '../replica-group.ts';
import { caughtUp } from './caught-up.ts';
import { applyFaults } from './faults.ts';
import { violationsOf, type ConversationHistory } from './history.ts';

/** Options of {@link runChaos}. */
export interface ChaosOptions {
  /** Time during which faults occur. */
  readonly seconds: number;
  readonly conversations: number;
  /** Determines faults and times. */
  readonly seed: number;
  /** Receives a line for each fault. */
  readonly log: (line: string) => void;
  /** Applies faults for a number of seconds. Default: replicas are killed and stopped, and connections cut. */
  readonly faults?: typeof applyFaults;
  /** Starts what clients connect to. */
  readonly balance?: Balance;
}

/** Result of {@link runChaos}. */
export interface ChaosResult {
  readonly violations: readonly string[];
  readonly acknowledged: number;
  readonly unknown: number;
  readonly events: number;
  readonly effects: number;
}

/** A conversation and what its clients know about it. */
interface Client {
  readonly id: string;
  readonly name: string;
  readonly acknowledged: string[];
  readonly unknown: string[];
  readonly followed: Followed;
}

interface Stored {
  readonly id: string;
}

/** Longest time until every conversation has ended after the last fault. */
const settleMs = 90_000;

/** Time without an event after which a client counts as one that receives no more. */
const silentMs = 30_000;

/**
 * Runs conversations on three replicas while replicas are killed and stopped and connections are cut, and checks the
 * history of each: nothing acknowledged is lost, no command runs twice, and clients receive every event once.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seconds, conversations, seed, log, faults = applyFaults, balance } = options;
  const choices = dice(seed);
  const random = (): number => choices.below(2 ** 20) / 2 ** 20;
  const steps = Math.max(8, Math.round(seconds / 3));
  const url = new URL(await freshUrl());
  await using database = await tcpProxy(Number(url.port));
  const proxied = new URL(url);
  proxied.port = String(database.port);
  let directory = '';
  const pace = (): number => ((seconds * 1000) / steps) * 2 * random();
  await using model = await scriptedServer(forever((request) => nextTurn(request, { directory, steps, pace })));
  await using group = await replicaGroup(proxied.href, 3, balance);
  ({ directory } = group);
  const clients: Client[] = [];
  for (let n = 0; n < conversations; n += 1) clients.push(await createdClient(group, model, `conversation-${n}`));
  const isOver = new AbortController();
  const sending = clients.map(async (client) => sendMessages(client, group, random, isOver.signal));
  await faults({ group, url: url.href, database, random, log }, seconds);
  isOver.abort();
  await Promise.all(sending);
  log('no more faults');
  await using store = await postgresStore({ url: url.href });
  const result = { violations: [] as string[], acknowledged: 0, unknown: 0, events: 0, effects: 0 };
  for (const client of clients) {
    const history = await historyOf(client, group, store);
    result.violations.push(...violationsOf(history));
    result.acknowledged += history.acknowledged.length;
    result.unknown += history.unknown.length;
    result.events += history.log.length;
    result.effects += history.effects.length;
  }
  return result;
}

/** Waits for the end of a conversation, and collects what happened to it. */
async function historyOf(client: Client, group: ReplicaGroup, store: EventStore): Promise<ConversationHistory> {
  const { id, acknowledged, unknown, followed } = client;
  const status = await endOf(client, group);
  const reader = await store.read(canonicalId(id));
  const { broken } = await verify(reader, { requireSeals: true });
  const stored = await Array.fromAsync(reader.range(0));
  const messages = new Map(stored.filter(({ kind }) => kind === 'MessageEvent').map((event) => [event.id, event.text]));
  const log = (await sentEvents(client, group)).map((event) => ({ id: event.id, text: messages.get(event.id) ?? '' }));
  await caughtUp(followed, log.at(-1)?.id, async () => delay(silentMs, undefined, { ref: false }));
  return {
    id,
    acknowledged,
    unknown,
    seen: followed.events.map((event) => event.id),
    effects: effectsOf(group.directory, client.name),
    status,
    proof: broken && `the log is altered at event ${broken.seq}: ${broken.reason}`,
    log,
  };
}

function* forever(step: ScriptedStep): Generator<ScriptedStep> {
  for (;;) yield step;
}

/** Replies with the next command of a conversation, which appends its number to a file. */
async function nextTurn(
  { messages }: ModelRequest,
  { directory, steps, pace }: { readonly directory: string; readonly steps: number; readonly pace: () => number },
): Promise<ScriptedTurn> {
  const name = /conversation-\d+/.exec(JSON.stringify(messages))?.[0] ?? '';
  const done = messages.filter(({ role }) => role === 'assistant').length;
  if (done >= steps) return { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  await delay(pace());
  return { calls: [{ name: 'terminal', arguments: { command: `echo ${done} >> '${join(directory, name)}'` } }] };
}

async function createdClient(group: ReplicaGroup, { url }: ScriptedServer, name: string): Promise<Client> {
  const body = {
    workspace: { working_dir: join(group.directory, 'workspace'), kind: 'LocalWorkspace' },
    confirmation_policy: { kind: 'NeverConfirm' },
    max_iterations: 10_000,
    agent: {
      kind: 'Agent',
      llm: { model: 'openai/scripted', base_url: url, api_key: 'sk-of-the-test', num_retries: 0 },
    },
    initial_message: messageOf(name),
  };
  const { id } = await jsonOf<Stored>(await requested(group.url, 'POST', '/conversations', body), 'create');
  return { id, name, acknowledged: [name], unknown: [], followed: followedEvents(group.url, id) };
}

function messageOf(text: string) {
  return { role: 'user', content: [{ type: 'text', text }], run: true };
}

/** Sends messages now and then. A request that fails is not repeated: whether its message is stored is not known. */
async function sendMessages(client: Client, group: ReplicaGroup, random: () => number, signal: AbortSignal) {
  for (let n = 0; ; n += 1) {
    await delay(2_000 + 6_000 * random(), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const text = `message-${n}-of-${client.name}`;
    const isStored = await requested(group.url, 'POST', `/conversations/${client.id}/events`, messageOf(text)).then(
      ({ ok }) => ok,
      () => false,
    );
    client[isStored ? 'acknowledged' : 'unknown'].push(text);
  }
}

async function endOf({ id }: Client, group: ReplicaGroup): Promise<string> {
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
async function sentEvents({ id }: Client, group: ReplicaGroup): Promise<readonly Stored[]> {
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

function effectsOf(directory: string, name: string): readonly number[] {
  try {
    return readFileSync(join(directory, name), 'utf8').trim().split('\n').map(Number);
  } catch {
    return []; // No command has run.
  }
}
