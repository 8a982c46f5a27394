import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { makeDirectories } from '@varve/files';
import { expect, test } from 'vitest';
import { temporaryDirectory, type TemporaryDirectory } from '../../test/support/temporary-directory.ts';
import { prepareWorkspace } from './workspace.ts';

/** Settings by which a repository names a program that runs when files are checked out or compared. */
const settings: readonly (readonly [string, (program: string) => readonly string[]])[] = [
  ['a filter', (program) => ['filter.evil.smudge', program]],
  ['a filter process', (program) => ['filter.evil.process', program]],
  ['a monitor', (program) => ['core.fsmonitor', program]],
  ['hooks', () => ['core.hooksPath', '.hooks']],
  ['an alias', (program) => ['alias.worktree', `!${program}`]],
  ['a pager', (program) => ['core.pager', program]],
  ['a transport', (program) => ['core.sshCommand', program]],
];

function gitIn({ path, at }: TemporaryDirectory) {
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const env = { PATH: process.env['PATH'], HOME: path, GIT_CONFIG_NOSYSTEM: '1', ...who };
  return (...args: readonly string[]) => execFileSync('git', args, { cwd: at('repo'), env });
}

test.for(settings)('a worktree runs no program of the repository: %s', async ([, setting]) => {
  await using directory = await temporaryDirectory();
  const { at } = directory;
  const program = at('program');
  for (const path of [at('repo/.hooks'), at('repo/.git/hooks')]) makeDirectories(path, 0o700);
  const git = gitIn(directory);
  git('init', '-q');
  for (const path of [program, at('repo/.hooks/post-checkout'), at('repo/.git/hooks/post-checkout')])
    writeFileSync(path, `#!/bin/sh\ntouch ${at('ran')}\ncat\n`, { mode: 0o755 });
  writeFileSync(at('repo/.gitattributes'), '* filter=evil\n');
  writeFileSync(at('repo/file'), 'text');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  git('config', ...setting(program));
  const env = { PATH: process.env['PATH'], HOME: directory.path };
  const path = await prepareWorkspace({ path: at('repo'), id: 'a1', worktreeRoot: at('trees'), env });
  expect(readFileSync(`${path}/file`, 'utf8')).toBe('text');
  expect(existsSync(at('ran'))).toBe(false);
});
