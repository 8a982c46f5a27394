import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { loops } from './loops/index.ts';
import { runLoop, type LoopRun } from './run-loop.ts';
import { startModelServer, type ModelServer, type RequestSample } from './start-model-server.ts';
import { median, percentile, type Bench } from './table.ts';

/** First and last measured steps; the last window is the whole loop. The process is cold at its first step. */
const windows = [
  [1, 50],
  [951, 1000],
  [1, 1000],
] as const;
const steps = 1000;
const sampled = [50, 1000];
type Window = readonly [number, number];
/** Number of bare fetches that a window is compared with. */
const fetchesPerWindow = 50;
/** Number of interleaved runs; other load on the machine affects some of them, so the best one counts. */
const rounds = 3;
/** Milliseconds that the model needs for a reply. */
const thinkingMs = 3;

/** The compared loops, with the words of the table. */
const compared = {
  varve: 'varve, read',
  writes: 'varve, write',
  mock: 'varve, read, calls as text',
  aiSdk: 'AI SDK',
} satisfies Partial<Record<keyof typeof loops, string>>;
type Compared = keyof typeof compared;
const names = Object.keys(compared) as readonly Compared[];

const header = ['loop', 'steps', 'kB', 'median', 'p95', 'to fetch', 'to AI SDK', 's', 'CPU ms', 'heap MB', 'RSS MB'];

/** Own work per step, compared with a bare `fetch` and with the loop of the AI SDK. */
export const agent: Bench = async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-bench-'));
  const dir = directory.path;
  using server = await startModelServer({ thinkingMs });
  const runs: Record<Compared, LoopRun[]> = { varve: [], writes: [], mock: [], aiSdk: [] };
  const fetched = new Map<Window, RequestSample[][]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) runs[name].push(await runLoop({ name, server, dir, steps, sampled }));
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
      const used = [secondsIn(at), cpuIn(runs[name], window), ...memory(runs[name], window)];
      return [compared[name], window.join('–'), ...figures(at, bare), ...ratioTo(at, aiSdk), ...used];
    });
    return [['fetch', window.join('–'), ...figures(bare, bare), '', '', '', '', ''], ...own];
  });
  const load = median(names.flatMap((name) => runs[name].flatMap(({ requests }) => requests.map(serverCpuMs))));
  const about = `Reply sent to next request received, ms, the best of ${rounds} rounds, without warm-up; the model needs ${thinkingMs} ms. SQLite store with fsync; 200-byte results, one process each. s: sum of the steps. CPU: processor time of a step. The model server uses ${load.toFixed(2)} ms of it for a request.`;
  return { title: `Own work per step, a model of ${thinkingMs} ms`, about, header, rows };
};

function requestsIn(run: LoopRun | undefined, [first, last]: Window): readonly RequestSample[] {
  return run?.requests.slice(first - 1, last) ?? [];
}

/** Returns the processor time of a step, in the run with the least. */
function cpuIn(runs: readonly LoopRun[], [first, last]: Window): string {
  const times = runs.map(({ cpuMs }) => ((cpuMs[last - 1] ?? NaN) - (cpuMs[first - 1] ?? NaN)) / (last - first));
  return Math.min(...times).toFixed(1);
}

function secondsIn(samples: readonly RequestSample[]): string {
  return (ms(samples).reduce((sum, each) => sum + each, 0) / 1000).toFixed(2);
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

/** Returns the memory in use at the end of a window, in the run with the least. */
function memory(runs: readonly LoopRun[], [, last]: Window): readonly string[] {
  const samples = runs.flatMap((run) => run.memory.filter(({ step }) => step === last));
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
