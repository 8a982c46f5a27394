import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  applyPatch,
  fileEditor,
  glob,
  grep,
  finish,
  planningFileEditor,
  taskTracker,
  terminal,
  think,
  type Tool,
} from '../src/index.ts';
import { memory } from '../src/memory/index.ts';
import { applyChunks } from '../src/patch/apply-chunks.ts';
import type { Chunk } from '../src/patch/parse-patch.ts';
import { runRipgrep } from '../src/search/ripgrep.ts';
import { toolKinds } from '../src/specs/tool-kinds.ts';

const { signal } = new AbortController();

/** Counts the turns of the event loop: whatever else the process does, such as the renewal of a lease, runs in them. */
function turnCounter(onTurn: () => unknown = () => undefined) {
  let turns = 0;
  let timer = setImmediate(function count() {
    turns += 1;
    onTurn();
    timer = setImmediate(count);
  });
  return { now: () => turns, [Symbol.dispose]: () => clearImmediate(timer) };
}

/** Creates a directory with a program that prints a thousand records in one piece. */
async function recordPrinter(): Promise<{ readonly directory: string; readonly program: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-turns-'));
  const program = join(directory, 'rg');
  await writeFile(join(directory, 'records'), Array.from({ length: 1000 }, (_, index) => `name${index}\n`).join(''));
  await writeFile(program, '#!/bin/sh\nexec cat records\n');
  await chmod(program, 0o755);
  return { directory, program };
}

test('between expensive records of a search other work runs, and an abort ends them', async () => {
  const { directory, program } = await recordPrinter();
  using turns = turnCounter();
  const controller = new AbortController();
  const seen: number[] = [];
  const search = runRipgrep({
    program,
    args: [],
    directory,
    signal: controller.signal,
    timeoutMs: 60_000,
    separator: '\n',
    stepsOf: () => 1_000_000,
    onRecord() {
      seen.push(turns.now());
      if (seen.length === 10) setImmediate(() => controller.abort(new Error('cancelled')));
      return true;
    },
  });
  await expect(search).rejects.toThrow('cancelled');
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeLessThan(20);
});

test('between the changes of a patch to a large file other work runs, and an abort ends them', async () => {
  using turns = turnCounter();
  const names = Array.from({ length: 30 }, (_, index) => String(index));
  const file = { text: `${names.join('\n')}\n${'same\n'.repeat(150_000)}`, lineEnd: '\n' } as const;
  const apply = async (options: { readonly signal: AbortSignal; readonly onSearch: () => void }) => {
    const chunks = names.map((text): Chunk => {
      const lines = [{ mark: '-' as const, text }];
      let isSearched = false;
      const searched = (): typeof lines => {
        if (!isSearched) options.onSearch();
        isSearched = true;
        return lines;
      };
      return Object.defineProperty({ anchors: [], isAtEnd: false, line: 1, lines }, 'lines', { get: searched });
    });
    return applyChunks(file, { path: 'file', chunks, signal: options.signal });
  };
  const seen: number[] = [];
  const patched = await apply({ signal, onSearch: () => seen.push(turns.now()) });
  expect(patched).toMatchObject({ text: 'same\n'.repeat(150_000) });
  expect(new Set(seen).size).toBe(names.length);
  const controller = new AbortController();
  let searched = 0;
  const onSearch = (): void => {
    searched += 1;
    if (searched === 10) setImmediate(() => controller.abort(new Error('cancelled')));
  };
  await expect(apply({ signal: controller.signal, onSearch })).rejects.toThrow('cancelled');
  expect(searched).toBeLessThan(13);
});

const deep = `${'d/'.repeat(200)}file`;
const patch = `*** Begin Patch\n*** Update File: lines\n${'@@ same\n'.repeat(15)}-same\n+new\n*** Add File: added\n${'+x\n'.repeat(100_000)}*** End Patch`;
const large = 'same\n'.repeat(60_000);

const openMemory = (): Tool =>
  memory({ store: join(tmpdir(), 'varve-turns-memory'), maxEntryBytes: 1e9, maxBytes: 1e9 });

/** Tools with inputs that take long. */
const worst: readonly (readonly [string, () => Tool, (dir: string) => object])[] = [
  ['a view of many lines', fileEditor, (dir) => ({ command: 'view', path: join(dir, 'lines') })],
  ['a listing of deep directories', fileEditor, (dir) => ({ command: 'view', path: dir })],
  [
    'a replacement',
    fileEditor,
    (dir) => ({ command: 'str_replace', path: join(dir, 'lines'), old_str: large, new_str: '' }),
  ],
  [
    'an insertion',
    fileEditor,
    (dir) => ({ command: 'insert', path: join(dir, 'lines'), insert_line: 9, new_str: large }),
  ],
  ['a file', fileEditor, (dir) => ({ command: 'create', path: join(dir, 'added'), file_text: large })],
  ['a plan', () => planningFileEditor(), (dir) => ({ command: 'view', path: join(dir, 'lines') })],
  ['a patch', applyPatch, () => ({ patch })],
  ['a flood of output', terminal, () => ({ command: 'yes | head -c 3000000', timeout: 60 })],
  ['a glob', glob, () => ({ pattern: `**/${'*i'.repeat(200)}` })],
  ['an expression that backtracks', grep, () => ({ pattern: '(s*a*m*e*)*(s*a*m*e*)*x' })],
  [
    'tasks',
    taskTracker,
    () => ({ command: 'plan', task_list: Array.from({ length: 5000 }, () => ({ title: large.slice(0, 99) })) }),
  ],
  ['a thought', think, () => ({ thought: large })],
  ['a last message', finish, () => ({ message: large })],
  ['a memory', openMemory, () => ({ command: 'create', path: '/memories/added', file_text: large })],
];

test.for(worst)('%s is cancelled in any turn: it ends, and changes nothing afterwards', async ([, open, input]) => {
  const workspace = await mkdtemp(join(tmpdir(), 'varve-turns-'));
  await mkdir(join(workspace, deep, '..'), { recursive: true });
  await writeFile(join(workspace, deep), 'x');
  for (const abortAt of [1, 3, 30]) {
    await writeFile(join(workspace, 'lines'), large);
    await rm(join(workspace, 'added'), { force: true });
    const tool = open();
    const controller = new AbortController();
    using turns = turnCounter(() => turns.now() === abortAt && controller.abort());
    const call = tool.execute(tool.parse(input(workspace)), {
      workspace,
      signal: controller.signal,
      idempotencyKey: 'key',
    });
    const [settled] = await Promise.allSettled([call]);
    const left = await contentOf(workspace);
    await tool.close?.();
    expect(await contentOf(workspace)).toEqual(left);
    if (settled.status === 'fulfilled') continue;
    expect(settled.reason).toMatchObject({ code: 'aborted' });
    expect(left).toEqual({ lines: large, added: undefined });
  }
});

test('every tool that a name creates has a row above', () => {
  const covered = new Set(worst.map(([, open]) => open().name));
  expect(covered).toEqual(new Set(toolKinds().map(({ kind }) => kind)));
});

async function contentOf(workspace: string) {
  const read = (name: string): Promise<string | undefined> =>
    readFile(join(workspace, name), 'utf8').catch(() => undefined);
  return { lines: await read('lines'), added: await read('added') };
}
