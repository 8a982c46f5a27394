import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempDisposableSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitPaths } from './git-paths.ts';

function git(cwd: string, ...args: string[]): void {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...own, ...args], { cwd, stdio: 'pipe' });
}

/** A directory with a repository `other` and a directory `work`. */
function openPlace() {
  const directory = mkdtempDisposableSync(join(realpathSync(tmpdir()), 'varve-'));
  const [other, work] = [join(directory.path, 'other'), join(directory.path, 'work')];
  for (const path of [other, work]) mkdirSync(path);
  git(other, 'init', '-q');
  git(other, 'commit', '-q', '--allow-empty', '-m', 'first');
  return { directory, other, work, [Symbol.dispose]: () => directory.remove() };
}

test('a linked worktree has the repository that records it', () => {
  using place = openPlace();
  const tree = join(place.work, 'tree');
  git(place.other, 'worktree', 'add', '-q', tree);
  const shared = join(place.other, '.git');
  expect(gitPaths(tree).writable).toEqual([join(shared, 'worktrees/tree'), shared]);
  cpSync(join(tree, '.git'), join(place.work, '.git'));
  expect(gitPaths(place.work)).toEqual({ writable: [], executed: [join(place.work, '.git')] });
});

test('a submodule has its directory in the repository above, which records it', () => {
  using place = openPlace();
  git(place.work, 'init', '-q');
  git(place.work, 'submodule', 'add', '-q', place.other, 'part');
  const part = join(place.work, 'part');
  expect(gitPaths(part).writable).toEqual([join(place.work, '.git/modules/part')]);
  const subdirectory = join(place.work, 'deep');
  mkdirSync(subdirectory);
  writeFileSync(join(subdirectory, '.git'), 'gitdir: ../.git/modules/part\n');
  expect(gitPaths(subdirectory).writable).toEqual([]);
});

test.for<[string, (work: string, other: string) => void]>([
  ['a directory in the workspace that names it', (work) => forge(work, '.g')],
  ['a workspace that is a place of worktrees', (work) => forge(work, '.')],
  ['a link to it', (work, other) => symlinkSync(join(other, '.git'), join(work, '.git'))],
  [
    'a directory with a file `commondir`',
    (work) => {
      mkdirSync(join(work, '.git'));
      writeFileSync(join(work, '.git/commondir'), '../../other/.git\n');
    },
  ],
])('an entry of the workspace opens no other repository: %s', ([, write]) => {
  using place = openPlace();
  for (const workspace of [place.work, join(place.other, '.git/worktrees/work')]) {
    mkdirSync(workspace, { recursive: true });
    write(workspace, place.other);
    expect(gitPaths(workspace).writable.filter((path) => !path.startsWith(workspace))).toEqual([]);
  }
});

test('a missing entry below a repository is executed, and none without a repository', () => {
  using place = openPlace();
  const deep = join(place.other, 'deep');
  mkdirSync(deep);
  expect(gitPaths(deep).executed).toContain(join(deep, '.git'));
  expect(gitPaths(place.work)).toEqual({ writable: [], executed: [] });
});

function forge(work: string, name: string): void {
  mkdirSync(join(work, name), { recursive: true });
  writeFileSync(join(work, '.git'), `gitdir: ${name}\n`);
  writeFileSync(join(work, name, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(work, name, 'gitdir'), join(work, '.git'));
  writeFileSync(join(work, name, 'commondir'), '../../other/.git\n');
}
