import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { terminal } from '../../src/terminal/terminal.ts';
import { metadataOf, outputOf } from '../support/open-terminal.ts';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'varve-starts-')));
afterAll(() => rmSync(workspace, { recursive: true }));
mkdirSync(join(workspace, 'sub'));
symlinkSync('sub', join(workspace, 'link'));

const at = (...names: readonly string[]): readonly string[] => names.map((name) => join(workspace, name));

test.for<readonly [move: object, allowed: readonly string[] | undefined, runs: boolean]>([
  [{ command: 'true' }, undefined, true],
  [{ command: 'true' }, at('.'), true],
  [{ command: 'true' }, at('sub'), false],
  [{ command: 'cd sub' }, undefined, true],
  [{ command: 'cd sub' }, at('.'), false],
  [{ command: 'cd sub' }, at('.', 'sub'), true],
  [{ command: 'cd sub' }, at('link'), true],
  [{ command: 'cd link' }, at('sub'), true],
  [{ command: 'cd -P link' }, at('link'), true],
  [{ command: 'cd sub' }, ['~/sub'], true],
  [{ command: 'cd sub' }, ['~'], false],
  [{ command: 'cd sub; exit' }, at('.'), true],
  [{ command: 'cd sub; exit' }, at('sub'), false],
  [{ command: 'cd sub; read -r; cd ..', timeout: 0.01 }, at('sub'), false],
  [{ command: 'cd sub', reset: true }, at('.'), false],
])('after %j, a command that may start in %j runs: %j', async ([move, allowed, runs]) => {
  const tool = terminal({ pty: false, inherit: { ...process.env, HOME: workspace } });
  const shared = { workspace, signal: new AbortController().signal, idempotencyKey: 'key' };
  const call = (input: object, context = {}) => tool.execute(tool.parse(input), { ...shared, ...context });
  try {
    const moved = await call(move);
    if (metadataOf(moved).exit_code === -1 && 'timeout' in move) {
      await call({ command: 'ENTER', is_input: true, timeout: 20 });
    }
    const place = allowed && { startDirectories: allowed };
    const result = await call({ command: 'echo ran', timeout: 20 }, place);
    expect([outputOf(result), result.is_error]).toEqual(runs ? ['ran', false] : ['', true]);
    const { working_dir: where, suffix } = metadataOf(result);
    expect(suffix.includes('approved for another directory')).toBe(!runs);
    // The log learns where the shell is, so that the next question names it.
    expect(outputOf(await call({ command: 'pwd', timeout: 20 }, { startDirectories: [where] }))).toBe(where);
  } finally {
    await tool.close();
  }
});

// The directory of a process is known on Linux only.
const hidden: readonly (readonly [command: string, place: string])[] = [
  ['unset DIRSTACK; DIRSTACK=$PWD; cd sub', 'sub'],
  ['cd sub; unset DIRSTACK; PWD=/', 'sub'],
  ['cd sub; unset DIRSTACK; declare -r DIRSTACK=/', 'sub'],
  ['cd sub; cd() { :; }; __varve_directory=/; readonly __varve_directory', 'sub'],
  ['pushd sub >/dev/null; pushd -n / >/dev/null', 'sub'],
  ['mkdir a; cd a; mv ../a ../moved', 'moved'],
  ['mkdir b; cd b; mv ../b ../other; mkdir ../b', 'other'],
  ['mkdir c; ln -s c linked; cd linked; rm ../linked; ln -s / ../linked', 'c'],
];

const isKnown = process.platform === 'linux';

test.skipIf(!isKnown).for([true, false].flatMap((pty) => hidden.map((row) => [pty, ...row] as const)))(
  'with a terminal (%j), the directory of the shell after %s is %s, whatever the shell reports',
  async ([pty, command, place]) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'varve-hidden-')));
    mkdirSync(join(root, 'sub'));
    const tool = terminal({ pty });
    const shared = { workspace: root, signal: new AbortController().signal, idempotencyKey: 'key' };
    try {
      const result = await tool.execute(tool.parse({ command, timeout: 20 }), shared);
      expect(metadataOf(result).working_dir).toBe(join(root, place));
      const stayed = { ...shared, startDirectories: [root] };
      expect((await tool.execute(tool.parse({ command: 'touch ran', timeout: 20 }), stayed)).is_error).toBe(true);
    } finally {
      await tool.close();
      rmSync(root, { recursive: true });
    }
  },
);

test.skipIf(!isKnown)('a command does not run in a directory that was moved after it was approved', async () => {
  const tool = terminal({ pty: false });
  const shared = { workspace, signal: new AbortController().signal, idempotencyKey: 'key' };
  try {
    await tool.execute(tool.parse({ command: 'mkdir one; cd one', timeout: 20 }), shared);
    renameSync(join(workspace, 'one'), join(workspace, 'two'));
    mkdirSync(join(workspace, 'one'));
    const approved = { ...shared, startDirectories: at('one') };
    const result = await tool.execute(tool.parse({ command: 'echo ran', timeout: 20 }), approved);
    expect([result.is_error, metadataOf(result).working_dir]).toEqual([true, join(workspace, 'two')]);
  } finally {
    await tool.close();
  }
});

test.for([true, false])(
  'with a terminal (%j), a command of an unusable shell whose directory is gone does not run in the workspace',
  async (pty) => {
    const tool = terminal({ pty });
    const shared = { workspace, signal: new AbortController().signal, idempotencyKey: 'key' };
    try {
      const gone = 'mkdir gone; cd gone; rmdir ../gone; readonly __varve_id';
      await tool.execute(tool.parse({ command: gone, timeout: 20 }), shared);
      const approved = { ...shared, startDirectories: at('gone') };
      const result = await tool.execute(tool.parse({ command: 'echo ran', timeout: 20 }), approved);
      const { working_dir: where, suffix } = metadataOf(result);
      expect([outputOf(result), result.is_error, where]).toEqual(['', true, workspace]);
      expect(suffix).toContain('approved for another directory');
    } finally {
      await tool.close();
    }
  },
);
