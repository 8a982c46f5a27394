import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { loops } from '../loops/index.ts';
import { runLoop, type LoopRun } from '../run-loop.ts';
import { startModelServer, type ModelServer, type RequestSample } from '../start-model-server.ts';
import { median, percentile, type Bench } from '../table.ts';

/** The measured steps, each with its neighbours. The first window is cold: its process has executed no step before. */
const windows = [25, 500, 1000] as const;
const around = 25;
/** Number of interleaved runs; other load on the machine affects some of them, so the best one counts. */
const rounds = 3;
/** Steps of a run with a short view; every 25th condenses and calls no model. */
const flat = [100, 10_000] as const;
const flatSteps = 10_500;

/** The compared loops, with the words of the table. */
const compared = {
  varve: 'varve, read',
  writes: 'varve, write',
  buffered: 'varve, read, buffered',
  aiSdk: 'AI SDK',
} satisfies Partial<Record<keyof typeof loops, string>>;
type Compared = keyof typeof compared;
const names = Object.keys(compared) as readonly Compared[];

/** Own work per step while the model needs 3 ms for a reply. */
export const agent: Bench = async () => ownWork(3);

/** The same with a model that replies immediately, so that nothing is hidden behind its delay. */
export const agentNoDelay: Bench = async () => ownWork(0);

const header = ['loop', 'step', 'kB', 'median', 'p95', 'to fetch', 'to AI SDK', 'heap MB', 'RSS MB'];

async function ownWork(thinkingMs: number): ReturnType<Bench> {
  const about = `Reply sent to next request received, ms of ${2 * around} steps, the best of ${rounds} rounds, without warm-up; the model needs ${thinkingMs} ms. SQLite store with fsync, or buffered; 200-byte results, one process each.`;
  return inTemporary(async (dir) => {
    using server = await startModelServer({ thinkingMs });
    const runs: Record<Compared, LoopRun[]> = { varve: [], writes: [], buffered: [], aiSdk: [] };
    const fetched = new Map<number, RequestSample[][]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const name of names) {
        const steps = (windows.at(-1) ?? 0) + around;
        runs[name].push(await runLoop({ name, server, dir, steps, sampled: windows }));
      }
      for (const step of windows) {
        const bytes = median(requestsAt(runs.varve[round], step).map((request) => request.bytes));
        fetched.set(step, [...(fetched.get(step) ?? []), await fetches(server, bytes)]);
      }
    }
    const rows = windows.flatMap((step) => {
      const bare = best(fetched.get(step) ?? []);
      const aiSdk = best(runs.aiSdk.map((run) => requestsAt(run, step)));
      const own = names.map((name) => {
        const at = best(runs[name].map((run) => requestsAt(run, step)));
        return [compared[name], String(step), ...figures(at, bare), ...ratioTo(at, aiSdk), ...memory(runs[name], step)];
      });
      return [['fetch', String(step), ...figures(bare, bare), '', '', ''], ...own];
    });
    return { title: `Own work per step, a model of ${thinkingMs} ms`, about, header, rows };
  });
}

/** Own work per step at step 100 and 10,000 of a view that is condensed every 100 events. */
export const agentFlat: Bench = async () =>
  inTemporary(async (dir) => {
    using server = await startModelServer({ thinkingMs: 3 });
    const run = await runLoop({ name: 'flat', server, dir, steps: flatSteps, sampled: flat });
    const rows: string[][] = [];
    for (const step of flat) {
      const at = requestsAt(run, step);
      const bare = await fetches(server, median(at.map(({ bytes }) => bytes)));
      rows.push(['varve, condensed', String(step), ...figures(at, bare), '', ...memory([run], step)]);
    }
    return { title: 'Own work per step, a condensed view', about: 'As the table agent, of one run.', header, rows };
  });

async function inTemporary<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function requestsAt(run: LoopRun | undefined, step: number): readonly RequestSample[] {
  return run?.requests.slice(Math.max(0, step - around), step + around - 1) ?? [];
}

/** Returns the samples with the lowest median. */
function best(runs: readonly (readonly RequestSample[])[]): readonly RequestSample[] {
  return runs.toSorted((left, right) => median(ms(left)) - median(ms(right)))[0] ?? [];
}

function ms(samples: readonly RequestSample[]): readonly number[] {
  return samples.map((sample) => sample.ms);
}

function figures(own: readonly RequestSample[], bare: readonly RequestSample[]): readonly string[] {
  const kB = median(own.map(({ bytes }) => bytes)) / 1000;
  return [kB.toFixed(0), median(ms(own)).toFixed(2), percentile(ms(own), 95).toFixed(2), ...ratioTo(own, bare)];
}

function ratioTo(own: readonly RequestSample[], other: readonly RequestSample[]): readonly string[] {
  return [`${(median(ms(own)) / median(ms(other))).toFixed(2)}×`];
}

function memory(runs: readonly LoopRun[], step: number): readonly string[] {
  const samples = runs.flatMap((run) => run.memory.filter((one) => one.step === step));
  return (['heapUsed', 'rss'] as const).map((what) =>
    (Math.min(...samples.map((sample) => sample[what])) / 1e6).toFixed(0),
  );
}

/** Bare fetches of a prepared body with the length of a request. */
async function fetches(server: ModelServer, bytes: number): Promise<RequestSample[]> {
  const body = JSON.stringify('x'.repeat(bytes - 2));
  await server.requests();
  for (let round = 0; round < 4 * around; round += 1) {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.json();
  }
  return (await server.requests()).slice(-2 * around);
}
