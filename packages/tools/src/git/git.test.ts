import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryTraces } from '../testing/traces.ts';
import { gitChanges } from './git-changes.ts';
import { gitDelta } from './git-delta.ts';
import { gitDiff } from './git-diff.ts';
import { gitCommitChanges, gitCommits } from './git-history.ts';
import { gitRepository } from './git-repository.ts';

interface Repository extends AsyncDisposable {
  readonly path: string;
  readonly git: (...args: readonly string[]) => string;
  readonly write: (files: Readonly<Record<string, string | Buffer>>) => Promise<void>;
  /** Commits everything. */
  readonly commit: (message: string) => void;
  /** Statuses by path. */
  readonly changes: (ref?: string) => Promise<Readonly<Record<string, string>>>;
}

async function repository(files: Readonly<Record<string, string | Buffer>> = {}): Promise<Repository> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'varve-git-')));
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const env = { PATH: process.env['PATH'], HOME: path, GIT_CONFIG_NOSYSTEM: '1', ...who };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: path, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const commit = (message: string): void => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', message);
  };
  const write: Repository['write'] = async (more) => {
    for (const [name, content] of Object.entries(more)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), content);
    }
  };
  git('init', '-q', '-b', 'main');
  await write(files);
  if (Object.keys(files).length > 0) commit('first');
  return {
    path,
    git,
    commit,
    write,
    async changes(ref) {
      const changes = await gitChanges(path, ref === undefined ? {} : { ref });
      return Object.fromEntries(changes.map((change) => [change.path, change.status]));
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

test('changes of each kind are sorted, also with unusual names', async () => {
  await using repo = await repository({ changed: '1', gone: '2', moved: '3', typed: '4', 'späce "q"': '5', same: '6' });
  await repo.write({ changed: 'x', 'späce "q"': 'x', 'new\nline': 'x', 'to/moved': '3' });
  for (const name of ['gone', 'moved', 'typed']) await rm(join(repo.path, name));
  await symlink('same', join(repo.path, 'typed'));
  repo.git('add', 'to/moved');
  const changes = await gitChanges(repo.path);
  expect(changes).toEqual([
    { status: 'UPDATED', path: 'changed' },
    { status: 'DELETED', path: 'gone' },
    { status: 'DELETED', path: 'moved' },
    { status: 'ADDED', path: 'new\nline' },
    { status: 'UPDATED', path: 'späce "q"' },
    { status: 'ADDED', path: 'to/moved' },
    { status: 'UPDATED', path: 'typed' },
  ]);
});

test('a repository without a commit', async () => {
  await using repo = await repository();
  await repo.write({ a: '1', '.gitignore': 'b\n', b: '2' });
  expect(await repo.changes()).toEqual({ '.gitignore': 'ADDED', a: 'ADDED' });
  expect(await repo.changes('HEAD')).toEqual({ '.gitignore': 'ADDED', a: 'ADDED' });
  expect(await gitDiff(join(repo.path, 'a'))).toEqual({ modified: '1', original: '', isBinary: false });
});

test('a directory of a repository, with a detached head', async () => {
  await using repo = await repository({ a: '1', 'sub/b': '1' });
  repo.git('checkout', '-q', '--detach');
  await repo.write({ a: '2', 'sub/b': '2', 'sub/c': '1' });
  expect(await gitChanges(join(repo.path, 'sub'))).toEqual([
    { status: 'UPDATED', path: 'b' },
    { status: 'ADDED', path: 'c' },
  ]);
});

test('without a remote, commits since main are changes', async () => {
  await using repo = await repository({ a: '1' });
  repo.git('checkout', '-q', '-b', 'topic');
  await repo.write({ a: '2' });
  repo.commit('second');
  expect(await repo.changes()).toEqual({ a: 'UPDATED' });
  expect(await repo.changes('HEAD')).toEqual({});
});

test('a pushed branch is compared with its remote, unless nothing has changed since', async () => {
  await using remote = await repository({ a: '1' });
  await using repo = await repository();
  repo.git('remote', 'add', 'origin', remote.path);
  repo.git('fetch', '-q', 'origin');
  repo.git('checkout', '-q', '-b', 'topic', 'origin/main');
  await repo.write({ b: '1' });
  repo.commit('second');
  repo.git('push', '-q', 'origin', 'topic');
  expect(await repo.changes()).toEqual({ b: 'ADDED' });
  await repo.write({ a: '2' });
  expect(await repo.changes()).toEqual({ a: 'UPDATED' });
});

test('a worktree and a nested repository', async () => {
  await using repo = await repository({ a: '1' });
  repo.git('worktree', 'add', '-q', 'tree');
  await repo.write({ 'tree/a': '2' });
  expect(await gitChanges(join(repo.path, 'tree'))).toEqual([{ status: 'UPDATED', path: 'a' }]);
  await mkdir(join(repo.path, 'inner'));
  execFileSync('git', ['init', '-q'], { cwd: join(repo.path, 'inner') });
  await repo.write({ 'inner/x': '1' });
  expect(await repo.changes()).toEqual({});
});

test('a diff keeps line ends and covers deleted and binary files', async () => {
  await using repo = await repository({ a: '1\r\n2', b: 'text\n', c: Buffer.from([1, 0, 2]) });
  await repo.write({ a: '1\r\n2\n' });
  await rm(join(repo.path, 'b'));
  expect(await gitDiff(join(repo.path, 'a'))).toEqual({ modified: '1\r\n2\n', original: '1\r\n2', isBinary: false });
  expect(await gitDiff(join(repo.path, 'b'))).toEqual({ modified: '', original: 'text\n', isBinary: false });
  expect(await gitDiff(join(repo.path, 'c'))).toMatchObject({ modified: '', isBinary: true });
});

test('the target path of a link is compared, not the linked file', async () => {
  await using repo = await repository({ a: '1' });
  await symlink('/etc/passwd', join(repo.path, 'link'));
  expect(await gitDiff(join(repo.path, 'link'))).toEqual({ modified: '/etc/passwd', original: '', isBinary: false });
});

test('a file that is too large or missing, a directory without a repository and an unknown commit are refused', async () => {
  await using repo = await repository({ a: '1' });
  await repo.write({ large: 'x'.repeat(1024 * 1024 + 1) });
  await expect(gitDiff(join(repo.path, 'large'))).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(gitDiff(join(repo.path, 'none'))).rejects.toMatchObject({ code: 'invalid-input' });
  for (const ref of ['none', '--output=x', '']) {
    await expect(gitChanges(repo.path, { ref })).rejects.toMatchObject({ code: 'invalid-input' });
  }
  await expect(gitChanges('/')).rejects.toMatchObject({ code: 'unusable' });
  await expect(gitChanges(repo.path, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
});

test('commits are listed newest first, with whether there are more', async () => {
  await using repo = await repository({ a: '1' });
  await repo.write({ 'sub/b': '1' });
  repo.commit('second: "quoted" | and\n\nmore text');
  const { commits, hasMore } = await gitCommits(repo.path, { limit: 2 });
  const sha = repo.git('rev-parse', 'HEAD').trim();
  expect(hasMore).toBe(false);
  expect(commits.map(({ subject }) => subject)).toEqual(['second: "quoted" | and', 'first']);
  expect(commits[0]).toMatchObject({ sha, author: 'a', timestamp: expect.stringMatching(/^\d{4}-.*[+-]\d\d:\d\d|Z$/) });
  expect(sha.startsWith(commits[0]?.shortSha ?? '-')).toBe(true);
  expect(await gitCommits(repo.path, { limit: 1 })).toEqual({ commits: commits.slice(0, 1), hasMore: true });
  expect((await gitCommits(join(repo.path, 'sub'), { limit: 5 })).commits).toHaveLength(1);
  await using empty = await repository();
  expect(await gitCommits(empty.path, { limit: 5 })).toEqual({ commits: [], hasMore: false });
});

test('the changes of one commit are those against its first parent', async () => {
  await using repo = await repository({ a: '1', b: '1' });
  await repo.write({ a: '2', c: '1' });
  await rm(join(repo.path, 'b'));
  repo.commit('second');
  const [second = '', first = ''] = repo.git('log', '--format=%H').split('\n');
  await repo.write({ a: '3' });
  expect(await gitCommitChanges(repo.path, second.slice(0, 8))).toEqual([
    { status: 'UPDATED', path: 'a' },
    { status: 'DELETED', path: 'b' },
    { status: 'ADDED', path: 'c' },
  ]);
  expect(await gitCommitChanges(repo.path, first)).toEqual([
    { status: 'ADDED', path: 'a' },
    { status: 'ADDED', path: 'b' },
  ]);
  const diff = (name: string, commit: string) => gitDiff(join(repo.path, name), { commit });
  expect(await diff('a', second)).toMatchObject({ modified: '2', original: '1' });
  expect(await diff('b', second)).toMatchObject({ modified: '', original: '1' });
  expect(await diff('a', first)).toMatchObject({ modified: '1', original: '' });
  await expect(diff('none', second)).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(diff('a', 'deadbeef')).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(gitCommitChanges(repo.path, 'deadbeef')).rejects.toMatchObject({ code: 'invalid-input' });
});

test('a delta contains untracked and binary files and applies to its base; the repository does not change', async () => {
  await using repo = await repository({ a: '1\n', gone: '1', '.gitignore': 'ignored\n' });
  const base = repo.git('rev-parse', 'HEAD').trim();
  await repo.write({ a: '2\n', bytes: Buffer.from([0, 1, 255]), ignored: 'x', 'cache/x': 'x' });
  await rm(join(repo.path, 'gone'));
  // Git touches objects that it would write again.
  const withoutTimes = async () =>
    (await directoryTraces(repo.path)).map((line) => line.replace(/ \d+\.?\d* (?=\S*$)/, ' '));
  const before = await withoutTimes();
  const delta = await gitDelta(repo.path, { exclude: ['cache/'] });
  expect(delta.base).toBe(base);
  expect(await withoutTimes()).toEqual(before);
  await using copy = await repository();
  copy.git('fetch', '-q', repo.path, 'main');
  copy.git('reset', '-q', '--hard', 'FETCH_HEAD');
  await writeFile(join(copy.path, '.git/delta'), delta.patch);
  copy.git('apply', '.git/delta');
  expect((await readdir(copy.path)).toSorted()).toEqual(['.git', '.gitignore', 'a', 'bytes']);
  await using empty = await repository();
  await empty.write({ new: '1' });
  expect(await gitDelta(empty.path)).toMatchObject({ base: undefined });
  await expect(gitDelta(repo.path, { ref: '--output=x' })).rejects.toMatchObject({ code: 'invalid-input' });
});

test('no program configured by the repository is run, and nothing is written', async () => {
  await using repo = await repository({ a: '1', b: '1', 'sub/c': '1' });
  const ran = join(repo.path, '.git/ran');
  const program = join(repo.path, '.git/program');
  await writeFile(program, `#!/bin/sh\ntouch ${ran}\ncat\n`);
  await chmod(program, 0o755);
  await writeFile(join(repo.path, '.git/info/attributes'), 'a filter=odd=name diff=odd\nb filter=x diff=odd\n');
  for (const name of [
    'core.fsmonitor',
    'core.pager',
    'diff.external',
    'diff.odd.command',
    'diff.odd.textconv',
    'filter.x.clean',
    'filter.x.process',
    'filter.odd=name.clean',
    'filter.odd=name.smudge',
    'core.sshCommand',
    'core.gitProxy',
    'core.alternateRefsCommand',
    'credential.helper',
    'gpg.program',
  ])
    repo.git('config', '--local', name, program);
  repo.git('config', '--local', 'log.showSignature', 'true');
  // An included file and that of a worktree configure programs, too.
  await writeFile(join(repo.path, '.git/more'), `[filter "y"]\n\tclean = ${program}\n\tprocess = ${program}\n`);
  repo.git('config', '--local', 'include.path', 'more');
  repo.git('config', '--local', 'extensions.worktreeConfig', 'true');
  repo.git('config', '--worktree', 'filter.z.clean', program);
  await repo.write({ '.gitattributes': 'sub/c filter=y\nnew filter=z\n', 'sub/c': '2', new: '1' });
  await repo.write({ a: '2', b: '2' });
  // Without the overrides these settings run programs.
  repo.git('diff', '--stat');
  expect(await readdir(join(repo.path, '.git'))).toContain('ran');
  await rm(ran);
  const before = await directoryTraces(repo.path);
  expect(await repo.changes()).toMatchObject({ a: 'UPDATED', b: 'UPDATED', 'sub/c': 'UPDATED', new: 'ADDED' });
  expect(await gitDiff(join(repo.path, 'a'))).toEqual({ modified: '2', original: '1', isBinary: false });
  const { commits } = await gitCommits(repo.path, { limit: 5 });
  await gitCommitChanges(repo.path, commits[0]?.sha ?? '');
  expect(await directoryTraces(repo.path)).toEqual(before);
  expect((await gitDelta(repo.path)).patch.toString()).toContain('+2');
  expect(await readdir(join(repo.path, '.git'))).not.toContain('ran');
});

test('a difference of a repository in the repository runs no program that it configures', async () => {
  await using repo = await repository({ a: '1' });
  repo.git('init', '-q', 'sub');
  repo.git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', '1');
  repo.commit('Add sub');
  await repo.write({ 'sub/a': '1' });
  repo.git('-C', 'sub', 'add', 'a');
  repo.git('-C', 'sub', 'commit', '-q', '-m', '2');
  repo.git('-C', 'sub', 'config', 'diff.external', `touch ${repo.path}/ran; true`);
  repo.git('config', 'diff.submodule', 'diff');
  const { git } = await gitRepository(repo.path);
  const { output } = await git('diff', '--no-ext-diff', '--no-textconv', 'HEAD');
  expect(output.toString()).toContain('+Subproject commit');
  expect(await readdir(repo.path)).not.toContain('ran');
});
