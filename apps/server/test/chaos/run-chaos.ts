import { setTimeout as delay } from 'node:timers/promises';
import { scriptedServer } from '@varve/llm/testing';
import { canonicalId, verify, type EventStore } from '@varve/storage';
import { postgresStore } from '@varve/storage-postgres';
import { dice } from '../../../../packages/agent/test/dice.ts';
import { runSql } from '../../../../packages/storage-postgres/test/server.ts';
import { tcpProxy, type TcpProxy } from '../../../../packages/storage-postgres/test/tcp-proxy.ts';
import type { Balance } from '../balancer.ts';
import { forever } from '../replica-conversation.ts';
import { replicaGroup, type ReplicaGroup, type ReplicaProcess } from '../replica-group.ts';
import { recordAppends, recordedAppends } from './appends.ts';
import { caughtUp } from './caught-up.ts';
import { type Client, createdClient, effectsOf, endOf, scriptedTurns, sendMessages, sentEvents } from './clients.ts';
import { failingDatabase } from './database.ts';
import { applyFaults } from './faults.ts';
import { commandsOf, violationsOf, type ConversationHistory } from './history.ts';
import { pauseWithout, pausesOf, type Interval } from './pauses.ts';

/** Options of {@link runChaos}. */
export interface ChaosOptions {
  /** Time during which faults occur. */
  readonly seconds: number;
  readonly conversations: number;
  /** Determines faults and times. */
  readonly seed: number;
  /** Receives a line for each fault. */
  readonly log: (line: string) => void;
  /** Applies faults for a number of seconds. Default: {@link applyFaults}. */
  readonly faults?: typeof applyFaults;
  /** Starts what clients connect to. */
  readonly balance?: Balance;
}

/** Result of {@link runChaos}. */
export interface ChaosResult {
  readonly violations: readonly string[];
  /** Histories with violations. */
  readonly histories: readonly ConversationHistory[];
  readonly faults: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly unknown: number;
  readonly events: number;
  readonly effects: number;
  /** Numbers of holders that the conversations had. */
  readonly epochs: number;
  /**
   * From a message to its acknowledgement, from an append to its client, from a reply and its commands to the next
   * request, and from the loss of a replica to the next event of each of its conversations by another one. Of the last
   * two, the longest part without an outage of the database, or the loss of two replicas.
   */
  readonly pauses: Readonly<Record<'messages' | 'sockets' | 'runs' | 'takeOvers', string>>;
}

/** Time without an event after which a client counts as one that receives no more. */
const silentMs = 30_000;

/** Pause of a run that is reported when it ends. */
const reportedMs = 10_000;

/** Part of the replies and commands that take long, and their time. */
const longSteps = 0.1;
const longMs = 14_000;

/** Role of the replicas, which may only append. */
const role = 'varve_app';

/** Steps and messages of all conversations per second, so that more conversations are not more work. */
const stepsPerSecond = 4;
const messagesPerSecond = 2.4;

/**
 * Runs conversations on three replicas while replicas, their clocks, their connections and their database fail, and
 * checks the history of each: nothing acknowledged is lost, no command runs twice, and clients receive every event
 * once.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seconds, conversations, seed, log, faults: apply = applyFaults, balance } = options;
  const choices = dice(seed);
  const random = (): number => choices.below(2 ** 20) / 2 ** 20;
  await using database = await failingDatabase();
  await runSql(database.url, `CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  await using store = await postgresStore({ url: database.url, role });
  await recordAppends(database.url);
  const proxied = Object.assign(new URL(database.url), { username: role, password: role });
  await using proxy = await tcpProxy(Number(proxied.port));
  proxied.port = String(proxy.port);
  const stepMs = Math.max(3_000, (conversations / stepsPerSecond) * 1000);
  const messageMs = Math.max(5_000, (conversations / messagesPerSecond) * 1000);
  // None ends before the faults do.
  const steps = Math.max(8, Math.round((3 * seconds * 1000) / stepMs));
  const isOver = new AbortController();
  let directory = '';
  const [pauses, outages]: [Interval[], Interval[]] = [[], []];
  const onPause = (name: string, pause: Interval): void => {
    pauses.push(pause);
    if (pause.to - pause.from > reportedMs) log(`${name} continues after ${(pause.to - pause.from) / 1000} s`);
  };
  const { signal } = isOver;
  // Some steps are longer than what a replica that stops waits for them.
  const stepPace = (): number => (random() < longSteps ? longMs : stepMs * 2 * random());
  const commandSeconds = (): number => (random() < longSteps ? longMs / 1000 : 0);
  const turns = scriptedTurns({ directory: () => directory, steps, pace: stepPace, commandSeconds, signal, onPause });
  // Two of three replicas have room for all.
  const maxRuns = Math.ceil(conversations / 2) + 1;
  const env = { OH_MAX_CONCURRENT_RUNS: String(maxRuns) };
  await using model = await scriptedServer(forever(turns));
  const links = new Map<number, TcpProxy>();
  await using opened = new AsyncDisposableStack();
  const link = async (port: number) => {
    const linked = opened.use(await tcpProxy(port));
    links.set(port, linked);
    return linked;
  };
  // A link accepts connections that a replica that stops would refuse: only faults of links need it.
  const between = apply === applyFaults ? { link } : {};
  await using group = await replicaGroup(proxied.href, 3, { balance, env, ...between });
  ({ directory } = group);
  const [clients, guests]: [Client[], Client[]] = [[], []];
  for (let n = 0; n < conversations; n += 1) clients.push(await createdClient(group, model, `conversation-${n}`));
  log(`${clients.length} conversations of ${steps} steps`);
  const pace = (): number => messageMs * (0.4 + 1.2 * random());
  const isRepeated = (): boolean => random() < 0.5;
  const sending = clients.map(async (client) => sendMessages(client, { group, pace, isRepeated, signal }));
  let named = 0;
  // Two may be filled at a time: no name is used twice.
  const fillQueues = async (): Promise<void> => {
    const names = Array.from({ length: 3 * maxRuns - conversations + 3 }, () => `guest-${named++}`);
    guests.push(...(await Promise.all(names.map(async (name) => createdClient(group, model, name)))));
  };
  const losses: Loss[] = [];
  let [lost, crowdedAt] = [0, 0];
  const onLoss = ({ name }: ReplicaProcess) => {
    losses.push({ name, at: Date.now() });
    lost += 1;
    if (lost === 2) crowdedAt = Date.now();
    return () => {
      lost -= 1;
      // One replica has no room for all.
      if (lost === 1) outages.push({ from: crowdedAt, to: Date.now() });
    };
  };
  const target = { group, database, proxy, links, fillQueues, onLoss, random, log };
  const onOutage = (outage: Interval): void => void outages.push(outage);
  const faults = await apply({ ...target, onOutage }, seconds);
  isOver.abort();
  await Promise.all(sending);
  log('no more faults');
  const histories: ConversationHistory[] = [];
  const all = [...clients, ...guests];
  for (const client of all) histories.push(await historyOf(client, { group, store, url: database.url }));
  return {
    ...summaryOf(histories),
    faults,
    pauses: {
      ...pausesOfClients(all, histories),
      runs: pausesOf(pauses.map((pause) => pauseWithout(pause, outages))),
      takeOvers: pausesOf(losses.flatMap((loss) => takeOversAfter(loss, histories.slice(0, clients.length), outages))),
    },
  };
}

function summaryOf(histories: readonly ConversationHistory[]) {
  const sum = (count: (history: ConversationHistory) => number): number =>
    histories.reduce((total, history) => total + count(history), 0);
  return {
    violations: histories.flatMap(violationsOf),
    histories: histories.filter((history) => violationsOf(history).length > 0),
    acknowledged: sum(({ acknowledged }) => acknowledged.length),
    unknown: sum(({ unknown }) => unknown.length),
    events: sum(({ appends }) => appends.length),
    effects: sum(({ effects }) => effects.length),
    epochs: sum(({ appends }) => appends.at(-1)?.epoch ?? 0),
  };
}

function pausesOfClients(clients: readonly Client[], histories: readonly ConversationHistory[]) {
  const appends = new Map(histories.flatMap((history) => history.appends.map((append) => [append.id, append.at])));
  const received = clients.flatMap(({ followed }) => followed.events);
  return {
    messages: pausesOf(clients.flatMap(({ waits }) => waits)),
    sockets: pausesOf(received.map(({ id, at }) => Math.max(0, at - (appends.get(id) ?? at)))),
  };
}

/** A replica that a fault keeps from its work from a time on, in UTC milliseconds. */
interface Loss {
  readonly name: string;
  readonly at: number;
}

/** Returns the times until other replicas continue what one ran that is lost. */
function takeOversAfter(
  { name, at }: Loss,
  histories: readonly ConversationHistory[],
  outages: readonly Interval[],
): readonly number[] {
  return histories.flatMap(({ appends }) => {
    const before = appends.findLast((append) => append.at < at);
    const index = appends.findIndex((append) => append.at >= at && append.writer !== name);
    const [last, next] = [appends[index - 1], appends[index]];
    if (before?.writer !== name || !last || !next) return [];
    return [pauseWithout({ from: Math.max(at, last.at), to: next.at }, outages)];
  });
}

interface Sources {
  readonly group: ReplicaGroup;
  readonly store: EventStore;
  /** Of the database. */
  readonly url: string;
}

/** Waits for the end of a conversation, and collects what happened to it. */
async function historyOf(client: Client, { group, store, url }: Sources): Promise<ConversationHistory> {
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
    commands: commandsOf(stored),
    effects: effectsOf(group.directory, client),
    appends: await recordedAppends(url, canonicalId(id)),
    failures: stored.filter(({ kind }) => kind === 'ConversationErrorEvent').map(({ text }) => text),
    status,
    proof: broken && `the log is altered at event ${broken.seq}: ${broken.reason}`,
    log,
  };
}
