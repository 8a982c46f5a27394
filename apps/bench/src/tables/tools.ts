import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileEditor, grep, terminal, type Tool } from '@varve/tools';
import { spawn as spawnPty } from '@lydell/node-pty';
import { rgPath } from '@vscode/ripgrep';
import type { Bench } from '../table.ts';

const run = promisify(execFile);
const lines = 300_000;
const files = 10_000;

/** One operation without and with a tool. */
interface Contest {
  readonly name: string;
  readonly rounds: number;
  readonly bare: () => Promise<unknown>;
  readonly tool: () => Promise<unknown>;
}

/** Tools compared with the same operation without one: a command, much output, a search, a large file. */
export const tools: Bench = async () => {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-bench-')));
  const shells = [terminal({ pty: true }), terminal({ pty: false })] as const;
  try {
    await fill(workspace);
    const rows: (readonly string[])[] = [];
    for (const contest of contests(workspace, shells)) rows.push(await measured(contest));
    return {
      title: 'Tools',
      about: 'ms, best rounds. Memory is the maximum growth of the process during one round, in MB, read each 10 ms.',
      header: ['', 'bare', 'varve', 'ratio', 'memory'],
      rows,
    };
  } finally {
    await Promise.all(shells.map((shell) => shell.close()));
    await rm(workspace, { recursive: true });
  }
};

function contests(workspace: string, [pty, pipe]: readonly [Tool, Tool]): readonly Contest[] {
  const call = async (tool: Tool, input: object): Promise<void> => {
    const context = { workspace, signal: new AbortController().signal, idempotencyKey: 'bench' };
    const observation = await tool.execute(tool.parse(input), context);
    if (observation.is_error) throw new Error(JSON.stringify(observation.content).slice(0, 500));
  };
  const editor = fileEditor();
  const search = grep();
  const large = join(workspace, 'large');
  let round = 0;
  const edit = async (): Promise<void> => {
    round += 1;
    await call(editor, {
      command: 'str_replace',
      path: large,
      old_str: `mark ${round - 1}.`,
      new_str: `mark ${round}.`,
    });
  };
  return [
    ...(
      [
        ['pty', pty, readTerminal],
        ['pipe', pipe, readPipe],
      ] as const
    ).flatMap(([name, shell, read]) => [
      {
        name: `echo, ${name}; a bash for it`,
        rounds: 50,
        bare: () => run('bash', ['-c', 'echo x']),
        tool: () => call(shell, { command: 'echo x' }),
      },
      {
        name: `${lines} lines, ${name}; read from one`,
        rounds: 5,
        bare: () => read('seq', [String(lines)]),
        tool: () => call(shell, { command: `seq ${lines}`, timeout: 600 }),
      },
    ]),
    {
      name: `grep, in ${files} files; rg alone`,
      rounds: 10,
      bare: () =>
        run(rgPath, ['--ignore-case', '--no-require-git', '--line-number', 'needle', '.'], { cwd: workspace }),
      tool: () => call(search, { pattern: 'needle' }),
    },
    {
      name: 'view 20 of 10 MB; read it',
      rounds: 10,
      bare: async () => (await readFile(large, 'utf8')).split('\n').slice(100_000, 100_020),
      tool: () => call(editor, { command: 'view', path: large, view_range: [100_000, 100_020] }),
    },
    {
      name: 'edit 10 MB; read, replace, write',
      rounds: 10,
      bare: () => rewrite(large),
      tool: edit,
    },
  ];
}

async function measured({ name, rounds, bare, tool }: Contest): Promise<readonly string[]> {
  const times: Record<'bare' | 'tool', number[]> = { bare: [], tool: [] };
  let most = 0;
  await bare();
  await tool();
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(await timed(bare));
    most = Math.max(most, await growth(async () => void times.tool.push(await timed(tool))));
  }
  // The best, because other load on the machine only slows work down.
  const [base, ours] = [Math.min(...times.bare), Math.min(...times.tool)];
  return [name, base.toFixed(2), ours.toFixed(2), `${(ours / base).toFixed(2)}×`, (most / 1e6).toFixed(0)];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Maximum growth of the process during an operation, in bytes. */
async function growth(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const look = (): void => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  await work();
  clearInterval(timer);
  look();
  return most - before;
}

async function readPipe(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.setEncoding('utf8').on('data', () => undefined);
  await once(child, 'close');
}

async function readTerminal(program: string, args: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pty = spawnPty(program, [...args], { encoding: null });
  pty.onData(() => undefined);
  pty.onExit(() => resolve());
  await promise;
}

async function rewrite(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await writeFile(`${path}.new`, text.replace('a line of the file 500', 'a line of the file 500'));
  await rename(`${path}.new`, path);
}

/** Creates a tree of files, a hundred of which contain the searched text, and one large file. */
async function fill(workspace: string): Promise<void> {
  const body = 'export const value = 1; // some words as programs have them\n'.repeat(40);
  for (let folder = 0; folder < 100; folder += 1) {
    const path = join(workspace, 'tree', String(folder));
    await mkdir(path, { recursive: true });
    const names = Array.from({ length: files / 100 }, (_, index) => index);
    await Promise.all(
      names.map((index) => writeFile(join(path, `${index}.ts`), index === 7 ? `${body}needle\n` : body)),
    );
  }
  const long = Array.from({ length: 265_000 }, (_, index) => `a line of the file ${index} and some words`).join('\n');
  await writeFile(join(workspace, 'large'), `mark 0.\n${long.slice(0, 10_000_000)}\n`);
}
