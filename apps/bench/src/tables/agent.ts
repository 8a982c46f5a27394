import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { loops } from '../loops/index.ts';
import { runLoop, type LoopRun } from '../run-loop.ts';
import { startModelServer, type ModelServer, type RequestSample } from '../start-model-server.ts';
import { median, percentile, type Bench } from '../table.ts';

/** First and last measured steps. In the first two windows the process is cold: it has executed no step before. */
const windows = [
  [1, 5],
  [1, 50],
  [475, 525],
  [975, 1025],
] as const;
type Window = readonly [number, number];
/** Number of bare fetches that a window is compared with. */
const fetchesPerWindow = 50;
/** Number of interleaved runs; other load on the machine affects some of them, so the best one counts. */
const rounds = 3;
/** Steps of a run with a short view; every 25th condenses and calls no model. */
const flat = [
  [75, 125],
  [9_975, 10_025],
] as const;
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

const header = ['loop', 'steps', 'kB', 'median', 'p95', 'to fetch', 'to AI SDK', 'CPU ms', 'heap MB', 'RSS MB'];

async function ownWork(thinkingMs: number): ReturnType<Bench> {
  return inTemporary(async (dir) => {
    using server = await startModelServer({ thinkingMs });
    const runs: Record<Compared, LoopRun[]> = { varve: [], writes: [], buffered: [], aiSdk: [] };
    const fetched = new Map<Window, RequestSample[][]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const name of names) runs[name].push(await runLoop({ name, server, dir, ...extent(windows) }));
      for (const window of windows) {
        const bytes = median(requestsIn(runs.varve[round], window).map((request) => request.bytes));
        fetched.set(window, [...(fetched.get(window) ?? []), await fetches(server, bytes)]);
      }
    }
    const rows = windows.flatMap((window) => {
      const bare = best(fetched.get(window) ?? []);
      const aiSdk = best(runs.aiSdk.map((run) => requestsIn(run, window)));
      const own = names.map((name) => {
        const at = best(runs[name].map((run) => requestsIn(run, window)));
        const used = [cpuIn(runs[name], window), ...memory(runs[name], window)];
        return [compared[name], window.join('–'), ...figures(at, bare), ...ratioTo(at, aiSdk), ...used];
      });
      return [['fetch', window.join('–'), ...figures(bare, bare), '', '', '', ''], ...own];
    });
    const load = median(names.flatMap((name) => runs[name].flatMap(({ requests }) => requests.map(serverCpuMs))));
    const about = `Reply sent to next request received, ms, the best of ${rounds} rounds, without warm-up; the model needs ${thinkingMs} ms. SQLite store with fsync, or buffered; 200-byte results, one process each. CPU: processor time of a step. The model server uses ${load.toFixed(2)} ms of it for a request.`;
    return { title: `Own work per step, a model of ${thinkingMs} ms`, about, header, rows };
  });
}

/** Own work per step at step 100 and 10,000 of a view that is condensed every 100 events. */
export const agentFlat: Bench = async () =>
  inTemporary(async (dir) => {
    using server = await startModelServer({ thinkingMs: 3 });
    const run = await runLoop({ name: 'flat', server, dir, ...extent(flat), steps: flatSteps });
    const rows: string[][] = [];
    for (const window of flat) {
      const at = requestsIn(run, window);
      const bare = await fetches(server, median(at.map(({ bytes }) => bytes)));
      const used = ['', cpuIn([run], window), ...memory([run], window)];
      rows.push(['varve, condensed', window.join('–'), ...figures(at, bare), ...used]);
    }
    return { title: 'Own work per step, a condensed view', about: 'As the table agent, of one run.', header, rows };
  });

/** Returns the length of a run with these windows, and the steps in their middle, at which memory is measured. */
function extent(measured: readonly Window[]): { readonly steps: number; readonly sampled: readonly number[] } {
  return { steps: Math.max(...measured.map(([, last]) => last)), sampled: measured.map(middleOf) };
}

function middleOf([first, last]: Window): number {
  return Math.floor((first + last) / 2);
}

async function inTemporary<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function requestsIn(run: LoopRun | undefined, [first, last]: Window): readonly RequestSample[] {
  return run?.requests.slice(first - 1, last) ?? [];
}

/** Returns the processor time of a step, in the run with the least. */
function cpuIn(runs: readonly LoopRun[], [first, last]: Window): string {
  const times = runs.map(({ cpuMs }) => ((cpuMs[last - 1] ?? NaN) - (cpuMs[first - 1] ?? NaN)) / (last - first));
  return Math.min(...times).toFixed(1);
}

function serverCpuMs(sample: RequestSample): number {
  return sample.serverCpuMs;
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

function memory(runs: readonly LoopRun[], window: Window): readonly string[] {
  const samples = runs.flatMap((run) => run.memory.filter(({ step }) => step === middleOf(window)));
  return (['heapUsed', 'rss'] as const).map((what) =>
    (Math.min(...samples.map((sample) => sample[what])) / 1e6).toFixed(0),
  );
}

/** Bare fetches of a prepared body with the length of a request. */
async function fetches(server: ModelServer, bytes: number): Promise<RequestSample[]> {
  const body = JSON.stringify('x'.repeat(bytes - 2));
  await server.requests();
  for (let round = 0; round < 2 * fetchesPerWindow; round += 1) {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.json();
  }
  return (await server.requests()).slice(-fetchesPerWindow);
}
