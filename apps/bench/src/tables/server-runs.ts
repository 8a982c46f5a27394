import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation, defineAgent } from '@varve/agent';
import { openaiChat } from '@varve/llm';
import { server } from '@varve/server';
import type { EventStore } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { finish, think } from '@varve/tools';
import { startModelServer } from '../start-model-server.ts';
import { median, percentile, type Bench } from '../table.ts';

const conversations = 200;
const steps = 6;
const rounds = 5;
const key = 'key-of-the-bench';
const headers = { 'X-Session-API-Key': key, 'content-type': 'application/json' };

/** Conversations that run concurrently, over HTTP and in process: steps, and turns of the event loop. */
export const serverRuns: Bench = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    using model = await startModelServer();
    const url = `${model.url}/v1`;
    const kinds: Readonly<Record<string, Workload>> = {
      'in process': (store) => inProcess(store, url, dir),
      'over HTTP, all at a time': (store) => overHttp(store, { url, dir, maxRuns: conversations }),
      'over HTTP, 8 at a time': (store) => overHttp(store, { url, dir, maxRuns: 8 }),
    };
    const samples = new Map<string, Sample[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, workload] of Object.entries(kinds)) {
        await using store = await sqliteStore({ path: join(dir, `${name} ${round}.db`) });
        samples.set(name, [...(samples.get(name) ?? []), await measured(await workload(store))]);
      }
    }
    const base = medianOf(samples.get('in process') ?? [], 'rate');
    return {
      title: 'Concurrent runs',
      about: `${conversations} conversations with ${steps} steps each, SQLite; medians of ${rounds} rounds.`,
      header: ['', 'steps/s', 'ratio', 'processor per step', 'turn p50', 'turn p99', 'conversations/s'],
      rows: [...samples].map(([name, all]) => [
        name,
        medianOf(all, 'rate').toFixed(0),
        `${(medianOf(all, 'rate') / base).toFixed(2)}×`,
        `${medianOf(all, 'processor').toFixed(2)} ms`,
        `${medianOf(all, 'turn').toFixed(0)} ms`,
        `${medianOf(all, 'longTurn').toFixed(0)} ms`,
        (medianOf(all, 'rate') / steps).toFixed(0),
      ]),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

/** Creates conversations, and returns a function that runs all of them and one that closes them. */
type Workload = (store: EventStore) => Promise<{ readonly run: () => Promise<unknown> } & AsyncDisposable>;

interface Sample {
  /** Steps per second. */
  readonly rate: number;
  /** Milliseconds of processor time per step, and in a turn of the event loop. */
  readonly processor: number;
  readonly turn: number;
  readonly longTurn: number;
}

async function inProcess(store: EventStore, url: string, dir: string): ReturnType<Workload> {
  const agent = defineAgent({
    model: openaiChat({ model: 'bench', baseUrl: url }),
    tools: () => [think(), finish()],
    budget: { maxIterations: steps },
  });
  const opened = await Promise.all(
    Array.from({ length: conversations }, () => Conversation.create({ agent, store, workspace: dir })),
  );
  return {
    run: () =>
      Promise.all(
        opened.map(async (conversation) => {
          await conversation.send('Think.');
          await conversation.run();
        }),
      ),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((conversation) => conversation[Symbol.asyncDispose]()));
    },
  };
}

async function overHttp(
  store: EventStore,
  { url, dir, maxRuns }: { readonly url: string; readonly dir: string; readonly maxRuns: number },
): ReturnType<Workload> {
  const listening = await server({ store, keys: [key], maxRuns }).listen(0);
  const post = async (path: string, body: unknown): Promise<{ readonly id: string }> => {
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${listening.url}/api/conversations${path}`, request);
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return (await response.json()) as { readonly id: string };
  };
  const created = await Promise.all(
    Array.from({ length: conversations }, () =>
      post('', {
        workspace: { working_dir: dir, kind: 'LocalWorkspace' },
        agent: { kind: 'Agent', llm: { model: 'openai/bench', base_url: url, api_key: 'key', num_retries: 0 } },
        max_iterations: steps,
      }),
    ),
  );
  return {
    run: () =>
      Promise.all(
        created.map(async ({ id }) => {
          const content = [{ type: 'text', text: 'Think.' }];
          await post(`/${id}/events`, { role: 'user', content, run: true });
          await ended(store, id.replaceAll('-', ''));
        }),
      ),
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

/** Resolves when the log contains the end of a run. */
async function ended(store: EventStore, id: string): Promise<void> {
  const stop = new AbortController();
  for await (const { text } of (await store.read(id)).tail(0, stop.signal)) {
    if (/"key":"execution_status","value":"(?:error|finished)"/.test(text)) stop.abort();
  }
}

async function measured(made: Awaited<ReturnType<Workload>>): Promise<Sample> {
  await using workload = made;
  const turns: number[] = [];
  const first = process.threadCpuUsage();
  const began = performance.now();
  let before = first;
  // Processor time of this thread, because the time of a clock depends on what else runs on the machine.
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    turns.push((now.user + now.system - before.user - before.system) / 1000);
    before = now;
  }, 1);
  await workload.run();
  clearInterval(timer);
  const count = conversations * steps;
  const { user, system } = process.threadCpuUsage(first);
  return {
    rate: (count * 1000) / (performance.now() - began),
    processor: (user + system) / 1000 / count,
    turn: percentile(turns, 50),
    longTurn: percentile(turns, 99),
  };
}

function medianOf(samples: readonly Sample[], field: keyof Sample): number {
  return median(samples.map((sample) => sample[field]));
}
