import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoop, type LoopRun } from '../run-loop.ts';
import { startModelServer } from '../start-model-server.ts';
import { median, type Bench } from '../table.ts';
import { spreadOf, verdictOf } from './noise.ts';
import { otherCheckout, parentCommit } from './other-checkout.ts';

const loops = { read: 'varve', write: 'writes' } as const;
const steps = 300;
/** Steps of a figure: the first and the last of a run. */
const group = 50;
const pairs = 12;

/** Costs of a run, each the smaller the better. */
const figures: Readonly<Record<string, (run: LoopRun) => number>> = {
  'start to first call, ms': ({ firstMs }) => firstMs,
  'steps 1–50, ms': (run) => stepMs(run, 0),
  'steps 1–50, CPU ms': (run) => stepCpuMs(run, 0),
  'steps 251–300, ms': (run) => stepMs(run, steps - group),
  'steps 251–300, CPU ms': (run) => stepCpuMs(run, steps - group),
  'resident memory, MB': ({ memory }) => (memory[0]?.rss ?? Number.NaN) / 1e6,
};

/** Compares this checkout with another commit in interleaved pairs; fails if a figure got worse beyond the noise. */
export const gate: Bench = async ({ against } = {}) => {
  await using other = await otherCheckout(against ?? (await parentCommit()));
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-bench-'));
  const measure = async (name: string, bench?: string): Promise<LoopRun> => {
    using server = await startModelServer();
    const where = bench === undefined ? {} : { bench };
    return await runLoop({ name, server, dir: directory.path, steps, sampled: [steps - group], ...where });
  };
  const rows: string[][] = [];
  for (const [words, name] of Object.entries(loops)) {
    const measured: (readonly [LoopRun, LoopRun])[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      // Each comes first in every second pair.
      const first = await measure(name, pair % 2 === 0 ? undefined : other.bench);
      const second = await measure(name, pair % 2 === 0 ? other.bench : undefined);
      measured.push(pair % 2 === 0 ? [first, second] : [second, first]);
    }
    for (const [figure, of] of Object.entries(figures)) {
      const spread = spreadOf(measured.map(([own, before]) => of(own) / of(before)));
      const [own, before] = [0, 1].map((side) => median(measured.map((pair) => of(pair[side] ?? pair[0]))));
      const numbers = [before, own, spread.median, spread.low, spread.high].map((value) => value?.toFixed(2) ?? '');
      rows.push([`${words}: ${figure}`, ...numbers, verdictOf(spread)]);
    }
  }
  return {
    title: `This checkout and ${other.commit}`,
    about: `${pairs} interleaved pairs of runs of ${steps} steps, a model without delay; ratios of pairs with the range of 96 %.`,
    header: ['figure', 'before', 'now', 'ratio', 'from', 'to', ''],
    rows,
    isWorse: rows.some((row) => row.at(-1) === 'worse'),
  };
};

function stepMs(run: LoopRun, from: number): number {
  return median(run.requests.slice(from, from + group).map(({ ms }) => ms));
}

function stepCpuMs({ cpuMs }: LoopRun, from: number): number {
  return ((cpuMs[from + group - 1] ?? Number.NaN) - (cpuMs[from] ?? Number.NaN)) / (group - 1);
}
