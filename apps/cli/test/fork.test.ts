import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

const home = await newHome();
const varve = async (...args: readonly string[]) => runVarve(args, { home });
const run = (command: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command } }] });
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

function git(directory: string, ...args: readonly string[]): string {
  const settings = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'core.hooksPath=/dev/null'];
  return execFileSync('git', [...settings, ...args], { cwd: directory, encoding: 'utf8' });
}

/** Returns the files below a directory by their paths, without those of git and those that a sandbox hides. */
async function files(directory: string): Promise<Record<string, string>> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const shown = paths.map((path) => path.slice(directory.length + 1)).filter((path) => !path.startsWith('.'));
  const read = shown.toSorted().map(async (path) => [path, await readFile(join(directory, path), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** Runs commands in a workspace, and returns the conversation and the ids of the events with their results. */
async function work(workspace: string, ...commands: readonly string[]) {
  await using server = await scriptedServer([...commands.map((command) => run(command)), done]);
  const options = ['--base-url', server.url, '--model', 'm', '--workspace', workspace, '--confirm', 'never'];
  const { stderr } = await varve('run', ...options, 'Work.');
  const id = /conversation (\w+)/.exec(stderr)?.[1] ?? '';
  const lines = (await varve('show', id, '--json')).stdout.trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { id: string; kind: string; tool_name?: string });
  const results = events.filter(({ kind, tool_name: tool }) => kind === 'ObservationEvent' && tool === 'terminal');
  return { id, results: results.map((event) => event.id) };
}

const place = (stderr: string): string => /^Files are in (.*), a/m.exec(stderr)?.[1] ?? '';

test('a fork with a worktree has the files of its event in the repository, whose own files, index and branches stay', async () => {
  const top = join(home, 'project');
  const workspace = join(top, 'sub');
  await mkdir(join(workspace, 'build'), { recursive: true });
  const written = { 'sub/a.txt': 'one\n', 'top.txt': 'top\n', '.gitignore': 'build\n', 'sub/build/out': 'x\n' };
  for (const [path, text] of Object.entries(written)) await writeFile(join(top, path), text);
  git(top, 'init', '--quiet', '--initial-branch', 'main');
  git(top, 'add', '.');
  git(top, 'commit', '--quiet', '--message', 'first');
  await writeFile(join(top, 'top.txt'), 'top, not committed\n');
  await writeFile(join(workspace, 'mine.txt'), 'mine\n');
  const { id, results } = await work(
    workspace,
    'echo two > a.txt; echo b > b.txt',
    'rm a.txt; echo c > c.txt; rm mine.txt',
  );
  await writeFile(join(workspace, 'b.txt'), 'of a person\n');
  const state = async () => ({
    files: await files(top),
    status: git(top, 'status', '--porcelain', '--ignored'),
    refs: git(top, 'for-each-ref') + git(top, 'rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD'),
    index: git(top, 'ls-files', '--stage'),
  });
  const before = await state();

  const first = await varve('fork', id, '--at', results[0] ?? '', '--worktree');
  const copy = place(first.stderr);
  const forked = first.stdout.trim();
  expect(copy).toBe(`${top}-${forked.slice(0, 8)}${sep}sub`);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('\nNot copied: build/.\n') });
  const atFirst = { 'a.txt': 'two\n', 'b.txt': 'b\n', 'mine.txt': 'mine\n' };
  expect(await files(copy)).toEqual(atFirst);
  expect(await readFile(join(copy, '../top.txt'), 'utf8')).toBe('top, not committed\n');
  expect(git(copy, 'status', '--porcelain').split('\n')).toEqual([
    ' M sub/a.txt',
    ' M top.txt',
    '?? sub/b.txt',
    '?? sub/mine.txt',
    '',
  ]);
  expect(await state()).toEqual(before);

  // A fork of the fork is one of its files, and so is what its commands change.
  await using server = await scriptedServer([run('echo three > a.txt'), done]);
  const resumed = await varve('run', '--resume', forked, '--base-url', server.url, '--confirm', 'never', 'More.');
  expect(resumed.code).toBe(0);
  expect(JSON.stringify(server.requests.at(-1))).toContain(`The working directory is now ${copy}, no longer`);
  const second = await varve('fork', forked, '--worktree', join(home, 'elsewhere'));
  expect(place(second.stderr)).toBe(join(home, 'elsewhere', 'sub'));
  expect(await files(join(home, 'elsewhere', 'sub'))).toEqual({ ...atFirst, 'a.txt': 'three\n' });
  await varve('rewind', second.stdout.trim(), results[0] ?? '', '--files');
  expect(await files(join(home, 'elsewhere', 'sub'))).toEqual(atFirst);
  expect(await files(copy)).toEqual({ ...atFirst, 'a.txt': 'three\n' });
  // A search in a fork leaves the files of the first conversation alone.
  const found = await varve('bisect', second.stdout.trim(), '--', 'grep', '-q', 'two', 'a.txt');
  expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/the command succeeds since[^]*echo two > a/) });
  expect(git(top, 'worktree', 'list').trim().split('\n')).toHaveLength(3);
  expect(await state()).toEqual(before);
});

test('without a commit, the files of a fork are a copy, and what the log does not have is listed', async () => {
  for (const isRepository of [false, true]) {
    const workspace = join(home, `plain-${String(isRepository)}`);
    await mkdir(join(workspace, 'node_modules/x'), { recursive: true });
    await writeFile(join(workspace, '.env'), 'KEY=1\n');
    if (isRepository) {
      await writeFile(join(workspace, '.gitignore'), 'node_modules\n');
      git(workspace, 'init', '--quiet');
    }
    const { id, results } = await work(workspace, 'echo a > a.txt', 'echo KEY=2 > .env; rm a.txt');
    const copied = await varve('fork', id, '--at', results[0] ?? '', '--worktree');
    expect(copied.stderr).toContain(`Files are in ${workspace}-${copied.stdout.slice(0, 8)}, a copy.\n`);
    expect(copied.stderr).toContain('\nNot copied: node_modules/.\ncannot .env: its content was not stored (secret)\n');
    expect(copied.code).toBe(6);
    expect(await files(place(copied.stderr))).toEqual({ 'a.txt': 'a\n' });
    expect(await files(workspace)).toEqual({});
  }
});

test('where the files cannot be copied, there is no fork', async () => {
  const workspace = join(home, 'taken');
  await mkdir(workspace);
  const { id } = await work(workspace, 'echo a > a.txt');
  const count = async (): Promise<number> => (await varve('ls', '--json', '-w', home)).stdout.split('\n').length;
  const before = await count();
  const existing = await varve('fork', id, '--worktree', home);
  expect(existing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`${home} exists already.`) });
  const inside = await varve('fork', id, '--worktree', join(workspace, 'copy'));
  expect(inside).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`is in ${workspace}, which is to be copied.`),
  });
  const missing = await varve('fork', id, '--at', 'none', '--worktree');
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no event none') });
  expect(await count()).toBe(before);
  expect((await readdir(home)).filter((name) => name.startsWith('taken-'))).toEqual([]);
});

test.for([
  ['off after its calls', 'true', 'false'],
  ['on after its calls', 'false', 'true'],
])(
  'a fork and a return of a conversation whose recording was turned %s report that',
  async ([name = '', ...records]) => {
    const [before = '', after = ''] = records;
    const workspace = join(home, name);
    await mkdir(workspace);
    await varve('config', 'set', 'files.record', before);
    const { id, results } = await work(workspace, 'echo a > a.txt', 'echo b > a.txt');
    await varve('config', 'set', 'files.record', after);
    const forked = await varve('fork', id, '--at', results[0] ?? '', '--worktree');
    expect(forked.stderr).toContain('Not all files may be as they were: no changes are recorded.');
    expect((await varve('rewind', id, results[0] ?? '', '--files')).stderr).toContain('no changes are recorded');
    await varve('config', 'set', 'files.record', 'true');
  },
);
