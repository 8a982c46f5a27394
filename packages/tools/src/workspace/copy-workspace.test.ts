import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyWorkspace } from './copy-workspace.ts';

const folder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'varve-')));
const options = { name: 'copy', excluded: [] };

/** Commits the files of a directory. */
function commit(path: string): void {
  const settings = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'core.hooksPath=/dev/null'];
  for (const args of [['init'], ['add', '.'], ['commit', '--quiet', '--message', 'first']])
    execFileSync('git', [...settings, ...args], { cwd: path, stdio: 'ignore' });
}

/** Returns a new directory with a file. */
function directory(...parts: readonly string[]): string {
  const path = join(folder(), ...parts);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'a.txt'), 'a');
  return path;
}

test.for([false, true])('a copy of a private directory is private, as a worktree: %s', async (isRepository) => {
  const workspace = directory('private');
  execFileSync('chmod', ['700', workspace]);
  if (isRepository) commit(workspace);
  const copy = await copyWorkspace(workspace, options);
  expect(copy.isWorktree).toBe(isRepository);
  expect(statSync(copy.workspace).mode & 0o777).toBe(0o700);
});

test('a workspace that its repository ignores is copied alone', async () => {
  const workspace = directory('top', 'ignored', 'play');
  const top = join(workspace, '../..');
  writeFileSync(join(top, '.gitignore'), 'ignored\n');
  commit(top);
  const copy = await copyWorkspace(workspace, options);
  expect(copy).toEqual({ workspace: `${workspace}-copy`, isWorktree: false, omitted: [] });
  expect(readdirSync(copy.workspace)).toEqual(['a.txt']);
});

test('the copy of a workspace with another name is not the workspace itself', async () => {
  const workspace = directory('real');
  symlinkSync(workspace, `${workspace}-link`);
  expect((await copyWorkspace(`${workspace}-link`, options)).workspace).toBe(`${workspace}-copy`);
});
