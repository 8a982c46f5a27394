import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeEmptied, restoreFile } from './restore-file.ts';

test.for(['../outside', '.git/config', 'sub/.GIT/config', 'sub/../../outside'])(
  'no path of a log is written outside of the workspace or into a repository: %s',
  async (path) => {
    const root = mkdtempSync(join(tmpdir(), 'restore-'));
    onTestFinished(() => {
      rmSync(root, { recursive: true });
    });
    const workspace = join(root, 'workspace');
    for (const name of ['.git', 'sub/.GIT']) mkdirSync(join(workspace, name), { recursive: true });
    const change = { path, mode: '100644', before: null, after: 'hash' };
    expect(await restoreFile(change, { workspace, content: Buffer.from('x') })).toBe(false);
    expect(existsSync(join(workspace, path))).toBe(false);
  },
);

test('directories of deleted files are removed if nothing is in them, and never through a link', () => {
  const root = mkdtempSync(join(tmpdir(), 'restore-'));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  const workspace = join(root, 'workspace');
  for (const name of ['workspace/a/b/c', 'workspace/d/e', 'workspace/other', 'outside/f'])
    mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(workspace, 'd/kept'), '');
  symlinkSync('../outside', join(workspace, 'link'));
  removeEmptied(['a/b/c/1', 'a/b/2', 'd/e/3', 'link/f/4', 'gone/5', '6'], workspace);
  const names = ['a', 'd/e', 'd/kept', 'link/f', 'other'];
  expect(names.filter((name) => existsSync(join(workspace, name)))).toEqual(['d/kept', 'link/f', 'other']);
});
