import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoop, type LoopRun } from '../run-loop.ts';
import { startModelServer, type ModelServer } from '../start-model-server.ts';
import { median, type Bench } from '../table.ts';

/** The measured steps, each with its neighbours. */
const windows = [25, 500, 1000, 5000] as const;
const around = 25;
/** Lengths of the runs, interleaved; other load on the machine affects some rounds, so the best one counts. */
const rounds = [1025, 1025, 5025];
/** Steps of a run with a short view; every 25th condenses and calls no model. */
const flat = [100, 10_000] as const;
const flatSteps = 10_500;
/** Delay of the model in milliseconds: work during the wait for a reply delays nothing. */
const thinkingMs = 3;

/** Own work per step, from the last byte of a reply to the last byte of the next request, compared with other loops. */
export const agent: Bench = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    using server = await startModelServer({ thinkingMs });
    const bare = new Map<number, number[]>();
    const runs: Record<'varve' | 'buffered' | 'aiSdk', LoopRun[]> = { varve: [], buffered: [], aiSdk: [] };
    for (const steps of rounds) {
      const run = { server, dir, steps, sampled: windows };
      for (const name of ['varve', 'buffered', 'aiSdk'] as const) runs[name].push(await runLoop({ ...run, name }));
      await fetchAlso(server, runs.varve, { steps: windows, bare });
    }
    const condensed = [await runLoop({ server, dir, steps: flatSteps, sampled: flat, name: 'flat' })];
    const bareOfFlat = new Map<number, number[]>();
    await fetchAlso(server, condensed, { steps: flat, bare: bareOfFlat });
    return {
      title: 'Own work per step',
      about: `Reply sent to next request received, median ms of ${2 * around} steps, the best of ${rounds.length} rounds (of one at 5000); SQLite store with fsync, or buffered; 200-byte results, one process each. Ratios of varve and buffered to fetch, of varve to the AI SDK. The last rows: a view condensed every 100 events.`,
      header: [
        'step',
        'kB',
        'fetch',
        'varve',
        'ratio',
        'buffered',
        'ratio',
        'AI SDK',
        'ratio',
        'heap',
        'AI SDK',
        'RSS MB',
        'AI SDK',
      ],
      rows: [
        ...windows.map((step) => row(step, { ...runs, bare: least(bare.get(step) ?? []) })),
        ...flat.map((step) =>
          row(step, { varve: condensed, buffered: [], aiSdk: [], bare: least(bareOfFlat.get(step) ?? []) }),
        ),
      ],
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

interface Measured {
  readonly varve: readonly LoopRun[];
  /** Without waiting for the disk. */
  readonly buffered: readonly LoopRun[];
  readonly aiSdk: readonly LoopRun[];
  readonly bare: number;
}

function row(step: number, { varve, buffered, aiSdk, bare }: Measured): readonly string[] {
  const [own, other] = [msAt(varve, step), msAt(aiSdk, step)];
  const memory = (['heapUsed', 'rss'] as const).flatMap((what) =>
    [varve, aiSdk].map((runs) => inUse(runs, step, what)),
  );
  return [
    String(step),
    (bytesAt(varve, step) / 1000).toFixed(0),
    bare.toFixed(2),
    own.toFixed(2),
    ratio(own, bare),
    ...(buffered.length > 0 ? [msAt(buffered, step).toFixed(2), ratio(msAt(buffered, step), bare)] : ['', '']),
    ...(aiSdk.length > 0 ? [other.toFixed(2), ratio(own, other)] : ['', '']),
    ...memory,
  ];
}

function ratio(own: number, other: number): string {
  return `${(own / other).toFixed(2)}×`;
}

function requestsAt({ requests }: LoopRun, step: number): LoopRun['requests'] {
  return requests.slice(Math.max(0, step - around), step + around - 1);
}

/** Returns the best median of the runs that reached a step. */
function msAt(runs: readonly LoopRun[], step: number): number {
  return least(
    runs
      .map((run) => requestsAt(run, step).map(({ ms }) => ms))
      .flatMap((all) => (all.length > 0 ? [median(all)] : [])),
  );
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}

function bytesAt(runs: readonly LoopRun[], step: number): number {
  return median(runs.flatMap((run) => requestsAt(run, step)).map(({ bytes }) => bytes));
}

function inUse(runs: readonly LoopRun[], step: number, what: 'heapUsed' | 'rss'): string {
  const samples = runs.flatMap(({ memory }) => memory.filter((one) => one.step === step));
  return samples.length > 0 ? (least(samples.map((sample) => sample[what])) / 1e6).toFixed(0) : '';
}

interface Fetched {
  readonly steps: readonly number[];
  /** Medians in milliseconds, by step. */
  readonly bare: Map<number, number[]>;
}

/** Bare fetches of prepared bodies with the lengths of the steps that the latest run reached. */
async function fetchAlso(server: ModelServer, runs: readonly LoopRun[], { steps, bare }: Fetched): Promise<void> {
  for (const step of steps) {
    const newest = runs.slice(-1);
    if (newest.every((run) => requestsAt(run, step).length === 0)) continue;
    bare.set(step, [...(bare.get(step) ?? []), await fetchedMs(server, bytesAt(newest, step))]);
  }
}

async function fetchedMs(server: ModelServer, bytes: number): Promise<number> {
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
  return median((await server.requests()).slice(-2 * around).map(({ ms }) => ms));
}
