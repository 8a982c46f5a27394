import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelRequest } from '@varve/llm';
import { scriptedServer, type ScriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, StorageError, type EventLog, type EventStore, type Replicas } from '@varve/storage';
import { expect, onTestFinished, test } from 'vitest';
import { requestFor } from '../../test/support/running-server.ts';
import { serverHost, type ServerHost } from './host.ts';
import { startRequest } from '../reference/request/start-request.ts';

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const think: ScriptedTurn = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
const content = [{ type: 'text', text: 'Go.', cache_prompt: false }] as const;

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'varve-hand-over-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Two hosts of a store; the first collects what it hands over. */
function hostsOf(store: EventStore, { isSingle = false, onRoom }: { isSingle?: boolean; onRoom?: () => void } = {}) {
  const home = newDirectory();
  const abandoned: string[] = [];
  const ran: string[] = [];
  const options = { store, home, env: { PATH: process.env['PATH'], OH_SECRET_KEY: 'secret' }, maxRuns: 1 };
  const abandon: Replicas['abandon'] = async (id, { hasRun } = {}) => {
    abandoned.push(id);
    if (hasRun) ran.push(id);
  };
  const first = serverHost({ ...options, onRoom, ...(!isSingle && { abandon }) });
  return { first: first.conversations, second: serverHost(options).conversations, abandoned, ran };
}

async function created(conversations: ServerHost['conversations'], model: ScriptedServer): Promise<string> {
  return (await conversations.create(startRequest().parse(requestFor(model, newDirectory())))).id;
}

/** Replies of a model whose first one waits for a gate. */
function gated(reply: (request: ModelRequest) => ScriptedTurn) {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const first = (): ScriptedTurn => {
    asked.resolve();
    return { ...think, gate: gate.promise };
  };
  return { steps: [first, ...Array.from({ length: 8 }, () => reply)], asked: asked.promise, open: gate.resolve };
}

test('a host that ends completes the current step, and another one continues all its runs', async () => {
  const { steps, asked, open } = gated(() => finish);
  await using model = await scriptedServer(steps);
  const store = memoryStore();
  const { first, second, abandoned, ran } = hostsOf(store);
  const [running, waiting, idle] = [
    await created(first, model),
    await created(first, model),
    await created(first, model),
  ];
  for (const id of [running, waiting]) await first.send(id, content, { run: true });
  await asked;
  await first.send(running, content, { run: true });
  const { head } = await store.summary(waiting);
  const ended = first.close(AbortSignal.timeout(60_000));
  open();
  await ended;
  expect((await store.summary(waiting)).head).toBe(head);
  // The second message waits for the other host, too.
  expect(model.requests).toHaveLength(1);
  expect(abandoned.toSorted()).toEqual([running, waiting].toSorted());
  expect(ran).toEqual([running]);
  expect(abandoned).not.toContain(idle);
  for (const id of abandoned) {
    await second.takeOver([id]);
    await second.use(id, (live) => live.hosted.runs.idle());
    expect((await store.summary(id)).meta).toMatchObject({ status: 'finished' });
  }
  const kinds = await Array.fromAsync((await store.read(running)).range(0), ({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'ObservationEvent')).toHaveLength(2);
  await second.close(AbortSignal.abort());
});

test.for(['replica', 'single server'])(
  'a %s that ends during a long step leaves its run as a kill does',
  async (kind) => {
    const { steps, asked } = gated(() => finish);
    await using model = await scriptedServer(steps);
    const store = memoryStore();
    const { first, second, abandoned } = hostsOf(store, { isSingle: kind === 'single server' });
    const running = await created(first, model);
    await first.send(running, content, { run: true });
    await asked;
    const over = new AbortController();
    const ended = first.close(over.signal);
    over.abort();
    await ended;
    expect((await store.summary(running)).meta).toMatchObject({ status: 'running' });
    expect(abandoned).toEqual(kind === 'replica' ? [running] : []);
    await (kind === 'replica' ? second.takeOver(abandoned) : second.recover());
    await second.use(running, (live) => live.hosted.runs.idle());
    expect((await store.summary(running)).meta).toMatchObject({ status: 'finished' });
    const kinds = await Array.fromAsync((await store.read(running)).range(0), (event) => event.kind);
    expect(kinds.filter((each) => each === 'InterruptEvent' || each === 'PauseEvent')).toEqual([]);
    await second.close(AbortSignal.abort());
  },
);

test('the figures of a host contain what it continued, what no process has, and what it could not hand over', async () => {
  const { steps, asked } = gated(() => finish);
  await using model = await scriptedServer(steps);
  const store = memoryStore();
  const { first, second, abandoned } = hostsOf(store);
  const running = await created(first, model);
  await first.send(running, content, { run: true });
  await asked;
  const abandon = abandoned.push.bind(abandoned);
  abandoned.push = () => {
    throw new Error('The database cannot be reached.');
  };
  await first.close(AbortSignal.abort());
  abandoned.push = abandon;
  expect(first.figures.failedHandOvers).toBe(1);
  await second.takeOver([running]);
  await second.use(running, (live) => live.hosted.runs.idle());
  expect(second.figures).toMatchObject({ continued: 1, unowned: [running], failedHandOvers: 0 });
  await second.takeOver([]);
  expect(second.figures.unowned).toEqual([]);
  await second.close(AbortSignal.abort());
});

test('a run for which a host has no room is left to the first one that has some', async () => {
  const { steps, asked, open } = gated(() => finish);
  await using model = await scriptedServer(steps);
  const store = memoryStore();
  let rooms = 0;
  const { first, second, abandoned } = hostsOf(store, { onRoom: () => (rooms += 1) });
  const busy = await created(first, model);
  await first.send(busy, content, { run: true });
  await asked;
  const waiting = await created(first, model);
  await first.send(waiting, content, { run: true });
  await expect.poll(() => [abandoned, first.isOpen(waiting)]).toEqual([[waiting], false]);
  await first.takeOver(abandoned);
  expect(first.isOpen(waiting)).toBe(false);
  await second.takeOver(abandoned);
  await second.use(waiting, (live) => live.hosted.runs.idle());
  expect((await store.summary(waiting)).meta).toMatchObject({ status: 'finished' });
  expect([rooms, second.figures.continued]).toEqual([0, 0]);
  open();
  await first.use(busy, (live) => live.hosted.runs.idle());
  await expect.poll(() => rooms).toBe(1);
  await first.close(AbortSignal.abort());
  await second.close(AbortSignal.abort());
});

test('what another program left is not taken for a run that waits', async () => {
  const store = memoryStore();
  const { first } = hostsOf(store);
  const id = 'f'.repeat(32);
  await (await store.create(id, { status: 'running' }))[Symbol.asyncDispose]();
  for (const waiting of [1, 0]) {
    await first.takeOver([id]);
    expect([first.isOpen(id), first.load.waiting]).toEqual([false, waiting]);
  }
  await first.close(AbortSignal.abort());
});

test('a conversation that is given up is continued by another host, and the others remain open', async () => {
  const { steps, asked, open } = gated(() => finish);
  await using model = await scriptedServer(steps);
  const store = memoryStore();
  const { first, second, abandoned } = hostsOf(store);
  const [wanted, kept] = [await created(first, model), await created(first, model)];
  await first.send(wanted, content, { run: true });
  await asked;
  const given = first.giveUp(wanted, AbortSignal.timeout(60_000));
  open();
  await given;
  expect([abandoned, first.isOpen(wanted), first.isOpen(kept)]).toEqual([[wanted], false, true]);
  await second.takeOver(abandoned);
  await second.use(wanted, (live) => live.hosted.runs.idle());
  expect((await store.summary(wanted)).meta).toMatchObject({ status: 'finished' });
  await first.close(AbortSignal.abort());
  await second.close(AbortSignal.abort());
});

test('a host that ends takes over nothing, and continues no run that a client has paused', async () => {
  const { steps, asked, open } = gated(() => finish);
  await using model = await scriptedServer(steps);
  const store = memoryStore();
  const { first, abandoned } = hostsOf(store);
  const [paused, waiting] = [await created(first, model), await created(first, model)];
  for (const id of [paused, waiting]) await first.send(id, content, { run: true });
  await asked;
  await first.use(paused, (live) => live.hosted.runs.pause());
  const ended = first.handOver(AbortSignal.timeout(60_000));
  open();
  await ended;
  expect(abandoned).toEqual([waiting]);
  expect((await store.summary(paused)).meta).toMatchObject({ status: 'paused' });
  await first.takeOver(abandoned);
  expect(first.isOpen(waiting)).toBe(false);
  await first.close(AbortSignal.abort());
});

test.for(['after', 'during'])(
  'a goal that a host pursues is pursued by another one, %s whose step it ends',
  async (when) => {
    const { steps, asked, open } = gated(({ tools }) =>
      tools.length > 0 ? finish : { text: '{"score": 1, "complete": true, "missing": ""}' },
    );
    await using model = await scriptedServer(steps);
    const store = memoryStore();
    const { first, second, abandoned } = hostsOf(store);
    const id = await created(first, model);
    await first.use(id, (live) => live.hosted.goal.start('Pursue.', 3));
    await asked;
    const over = new AbortController();
    const ended = first.close(over.signal);
    if (when === 'after') open();
    else over.abort();
    await ended;
    expect(abandoned).toEqual([id]);
    await second.takeOver(abandoned);
    await second.use(id, (live) => live.hosted.runs.idle());
    expect(await second.use(id, async ({ conversation }) => conversation.goal.state?.status)).toBe('complete');
    await second.close(AbortSignal.abort());
  },
);

/** A store that rejects as many appends as its state contains. */
function rejectingStore() {
  const store = memoryStore();
  const state = { rejected: 0 };
  const rejecting = (log: EventLog): EventLog => {
    const append: EventLog['append'] = log.append.bind(log);
    return Object.assign(log, {
      append: async (...parameters: Parameters<EventLog['append']>) => {
        if (state.rejected-- > 0) throw new StorageError('io', 'The database cannot be reached.');
        return append(...parameters);
      },
    });
  };
  const { create, open } = { create: store.create.bind(store), open: store.open.bind(store) };
  Object.assign(store, {
    create: async (...parameters: Parameters<EventStore['create']>) => rejecting(await create(...parameters)),
    open: async (...parameters: Parameters<EventStore['open']>) => rejecting(await open(...parameters)),
  });
  return { store, state };
}

test.for(['run', 'goal', 'judgement'])('a %s that an outage of the store ends is continued after it', async (kind) => {
  const { store, state } = rejectingStore();
  let judgements = 0;
  const { steps, asked, open } = gated(({ tools }) => {
    if (tools.length > 0) return finish;
    judgements += 1;
    if (kind === 'judgement' && judgements === 1) state.rejected = 1;
    return { text: '{"score": 1, "complete": true, "missing": ""}' };
  });
  await using model = await scriptedServer(steps);
  const { first } = hostsOf(store);
  const id = await created(first, model);
  if (kind === 'run') await first.send(id, content, { run: true });
  else await first.use(id, (live) => live.hosted.goal.start('Pursue.', 3));
  await asked;
  if (kind !== 'judgement') state.rejected = 1;
  open();
  await first.use(id, (live) => live.hosted.runs.idle());
  await first.takeOver([]);
  await first.use(id, (live) => live.hosted.runs.idle());
  const goal = kind === 'run' ? undefined : 'complete';
  expect(await first.use(id, async ({ conversation }) => conversation.goal.state?.status)).toBe(goal);
  expect((await store.summary(id)).meta).toMatchObject({ status: 'finished' });
  await first.close(AbortSignal.abort());
});

test('a host that ends hands over a run that an outage of the store ended', async () => {
  const { store, state } = rejectingStore();
  const { steps, asked, open } = gated(() => finish);
  await using model = await scriptedServer(steps);
  const { first, abandoned } = hostsOf(store);
  const id = await created(first, model);
  await first.send(id, content, { run: true });
  await asked;
  state.rejected = 1;
  open();
  await first.use(id, (live) => live.hosted.runs.idle());
  await first.close(AbortSignal.timeout(60_000));
  expect(abandoned).toEqual([id]);
});
