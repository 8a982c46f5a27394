import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, Conversation, defineAgent } from '@varve/agent';
import { changesOf } from '@varve/events/projections';
import { scriptedModel } from '@varve/llm/testing';
import { sqliteStore } from '@varve/storage/sqlite';
import { defineTool } from '@varve/tools';
import * as z from 'zod';
import { median, type Bench } from './table.ts';

const steps = 200;
/** Thought and result of a step, as in the other tables. */
const words = 'word '.repeat(40);
/** Number of interleaved runs; other load on the machine affects some of them, so the best one counts. */
const rounds = 3;

/** File that a step changes, by the number of the step; each gets one more line. */
const variants: Readonly<
  Record<string, { readonly recordsFiles: boolean; readonly fileOf: (step: number) => number }>
> = {
  'not recorded': { recordsFiles: false, fileOf: () => 0 },
  'the same file': { recordsFiles: true, fileOf: () => 0 },
  'another file each time': { recordsFiles: true, fileOf: (step) => step },
};

interface Run {
  /** Milliseconds to the first call, in which the workspace is looked at, and of a later step. */
  readonly firstMs: number;
  readonly stepMs: number;
  /** Processor time of a step, without that of programs that it starts. */
  readonly cpuMs: number;
  /** Bytes of the closed file of the store, and of the texts of events without the contents of files. */
  readonly bytes: number;
  readonly textBytes: number;
}

/** Log and time of steps that change a file, with and without facts about files. */
export const files: Bench = async ({ files: count = 1000 } = {}) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-bench-'));
  const workspace = makeRepository(realpathSync(directory.path), count);
  const runs = new Map<string, Run[]>(Object.keys(variants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, list] of runs) list.push(await run(workspace, directory.path, name));
  const best = (name: string, what: keyof Run): number => Math.min(...(runs.get(name) ?? []).map((each) => each[what]));
  const ratio = (name: string, what: keyof Run): string =>
    `${(best(name, what) / best('not recorded', what)).toFixed(2)}×`;
  const rows = Object.keys(variants).map((name) => [
    name,
    best(name, 'firstMs').toFixed(0),
    best(name, 'stepMs').toFixed(2),
    best(name, 'cpuMs').toFixed(2),
    (best(name, 'bytes') / 1000).toFixed(0),
    ratio(name, 'bytes'),
    ratio(name, 'textBytes'),
  ]);
  return {
    title: `Changed files, a repository of ${count} files of 1 kB`,
    about: `${steps} steps that each add a line to a tracked file, the best of ${rounds} interleaved rounds, no model. first: to the first call; ms, CPU ms: of a step; kB: of the closed store; texts: without contents of files.`,
    header: ['changed', 'first ms', 'ms', 'CPU ms', 'kB', 'ratio', 'texts'],
    rows,
  };
};

/** Creates a repository with one commit, and returns its directory. */
function makeRepository(root: string, count: number): string {
  const workspace = join(root, 'work');
  mkdirSync(workspace);
  for (let index = 0; index < count; index += 1) {
    if (index % 100 === 0) mkdirSync(join(workspace, String(index / 100)));
    writeFileSync(pathOf(workspace, index), `file ${index}\n${'x'.repeat(79)}\n`.padEnd(1000, 'y'));
  }
  const git = (...args: readonly string[]): Buffer => execFileSync('git', args, { cwd: workspace });
  git('init', '--quiet');
  // No other process of git, which would run during the measurement.
  git('config', 'maintenance.auto', 'false');
  git('add', '.');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '--quiet', '--message', 'first');
  return workspace;
}

function pathOf(workspace: string, index: number): string {
  return join(workspace, String(Math.floor(index / 100)), `${index}.txt`);
}

async function run(workspace: string, root: string, name: string): Promise<Run> {
  const { recordsFiles = false, fileOf = () => 0 } = variants[name] ?? {};
  const path = join(root, 'bench.db');
  const marks: { readonly at: number; readonly cpu: number }[] = [];
  const change = defineTool({
    name: 'change',
    description: 'Changes a file.',
    input: z.object({}),
    effect: 'write',
    execute: async () => {
      const { user, system } = process.cpuUsage();
      marks.push({ at: performance.now(), cpu: (user + system) / 1000 });
      writeFileSync(pathOf(workspace, fileOf(marks.length)), `step ${marks.length}\n`, { flag: 'a' });
      return words;
    },
  });
  const turns = Array.from({ length: steps + 1 }, () => ({ text: words, calls: [{ name: 'change', arguments: {} }] }));
  const agent = defineAgent({ model: scriptedModel(turns), tools: () => [change], recordsFiles, stuck: 'never' });
  const started = performance.now();
  const textBytes = await runSteps(path, agent, workspace);
  const bytes = statSync(path).size;
  await rm(path);
  execFileSync('git', ['checkout', '--quiet', '.'], { cwd: workspace });
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last) throw new Error('No step was executed.');
  const times = marks.slice(1).map(({ at }, index) => at - (marks[index]?.at ?? 0));
  return {
    firstMs: first.at - started,
    stepMs: median(times),
    cpuMs: (last.cpu - first.cpu) / steps,
    bytes,
    textBytes,
  };
}

/** Runs the steps in a new store, and returns the bytes of the texts of events without the contents of files. */
async function runSteps(path: string, agent: Agent, workspace: string): Promise<number> {
  await using store = await sqliteStore({ path });
  await using conversation = await Conversation.create({ agent, store, workspace });
  await conversation.send('Change files.');
  await conversation.run({ maxIterations: steps + 1 });
  let bytes = 0;
  for await (const { event } of conversation.events()) {
    const contents = changesOf(event).map(({ content = '' }) => JSON.stringify(content).length);
    bytes += JSON.stringify(event).length - contents.reduce((sum, each) => sum + each, 0);
  }
  return bytes;
}
