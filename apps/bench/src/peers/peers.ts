import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLoop, type LoopRun } from '../run-loop.ts';
import { startModelServer } from '../start-model-server.ts';
import { median, percentile, type Bench } from '../table.ts';
import { chartOf } from './chart.ts';
import { installPeers } from './install-peers.ts';

/** Loops by the words of the table; of those in a file, the file. */
const compared = {
  'varve, read': 'varve',
  'varve, write': 'writes',
  'AI SDK': 'aiSdk',
  pi: 'pi.mjs',
  'OpenAI Agents': 'openai-agents.mjs',
  'LangGraph, SQLite': 'langgraph.mjs',
} as const;
const steps = 400;
/** Steps of a point in the chart and of a figure in the table. */
const group = 25;
/** Interleaved runs; other load on the machine affects some of them, so the best one counts. */
const rounds = 3;
const chart = fileURLToPath(new URL('../../../../docs/peers.svg', import.meta.url));
const header = [
  'loop',
  'start',
  `1–${group}`,
  'p95',
  `${steps - group + 1}–${steps}`,
  'p95',
  'CPU ms',
  'CPU ms',
  'RSS MB',
];

const isFromSources = process.execArgv.includes('--conditions=@varve/source');

/** Compares the loops of other projects, which are installed on demand, and writes a chart. */
export const peers: Bench = async () => {
  const installed = await installPeers();
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-bench-'));
  const runs = new Map<string, LoopRun[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [words, loop] of Object.entries(compared)) {
      using server = await startModelServer();
      const name = loop.endsWith('.mjs') ? join(installed, loop) : loop;
      const run = await runLoop({ name, server, dir: directory.path, steps, sampled: [steps - group] });
      runs.set(words, [...(runs.get(words) ?? []), run]);
    }
  }
  const all = [...runs];
  const lines = all.map(([name, own]) => ({
    name,
    points: firstSteps().map((from) => [from + group / 2, leastCpu(own, from)] as const),
  }));
  await writeFile(
    chart,
    chartOf(
      lines,
      all.map(([name, own]) => ({ name, ms: startOf(own) })),
    ),
  );
  return {
    title: 'Loops of other projects',
    about: `Reply sent to next request received, ms, best of ${rounds} rounds, a model without delay; varve and LangGraph store in SQLite, the others nothing. Start: of the process to its first tool call, varve ${isFromSources ? 'from sources' : 'built'}. The chart is ${chart}.`,
    header,
    rows: all.map(([name, own]) => [
      name,
      startOf(own).toFixed(0),
      ...figures(own, 0),
      ...figures(own, steps - group),
      ...used(own),
    ]),
  };
};

function firstSteps(): readonly number[] {
  return Array.from({ length: steps / group }, (_, index) => index * group);
}

function startOf(runs: readonly LoopRun[]): number {
  return Math.min(...runs.map(({ firstMs }) => firstMs));
}

function times(run: LoopRun | undefined, from: number): readonly number[] {
  return run?.requests.slice(from, from + group).map(({ ms }) => ms) ?? [];
}

/** Returns the processor time of a step of a group, in the run with the least. */
function leastCpu(runs: readonly LoopRun[], from: number): number {
  return Math.min(
    ...runs.map(({ cpuMs }) => ((cpuMs[from + group - 1] ?? Number.NaN) - (cpuMs[from] ?? Number.NaN)) / (group - 1)),
  );
}

function figures(runs: readonly LoopRun[], from: number): readonly string[] {
  const best = runs.toSorted((one, other) => median(times(one, from)) - median(times(other, from)))[0];
  return [median(times(best, from)), percentile(times(best, from), 95)].map((ms) => ms.toFixed(2));
}

/** Returns the processor time of a step of the first and of the last group, and the memory in use in between. */
function used(runs: readonly LoopRun[]): readonly string[] {
  const cpu = [0, steps - group].map((from) => leastCpu(runs, from));
  const rss = Math.min(...runs.flatMap(({ memory }) => memory.map((sample) => sample.rss)));
  return [...cpu.map((ms) => ms.toFixed(1)), (rss / 1e6).toFixed(0)];
}
