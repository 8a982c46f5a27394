import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import { get, testKey } from '../../../test/support/requests.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../../test/support/temporary-directory.ts';

let directory: TemporaryDirectory;
let first = '';
let second = '';

beforeAll(async () => {
  directory = await temporaryDirectory();
  await mkdir(directory.at('repo/sub'), { recursive: true });
  await mkdir(directory.at('plain'));
  git('init', '-q', '-b', 'main');
  await writeFile(directory.at('repo/a'), '1\r\n');
  await writeFile(directory.at('repo/gone'), '1');
  first = commit('first');
  await writeFile(directory.at('repo/a'), '2\n');
  second = commit('second');
  await rm(directory.at('repo/gone'));
  await writeFile(directory.at('repo/sub/new'), 'x');
});
afterAll(() => directory[Symbol.asyncDispose]());

function git(...args: readonly string[]): string {
  const who = {
    GIT_AUTHOR_NAME: 'An Author',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'c',
    GIT_COMMITTER_EMAIL: 'c@d',
  };
  const env = { PATH: process.env['PATH'], HOME: directory.path, GIT_CONFIG_NOSYSTEM: '1', ...who };
  return execFileSync('git', args, { cwd: directory.at('repo'), env, encoding: 'utf8' });
}

function commit(message: string): string {
  git('add', '-A');
  git('commit', '-q', '-m', message);
  return git('rev-parse', 'HEAD').trim();
}

async function ask(path: string, values: Readonly<Record<string, string>>): Promise<readonly [number, unknown]> {
  const serving = server({ store: memoryStore(), keys: [testKey], workspaceRoot: directory.path });
  const response = await get(serving, `/api/git/${path}?${new URLSearchParams(values).toString()}`);
  return [response.status, await response.json()];
}

test('changes of a directory, relative to it or to a commit', async () => {
  const changes = [
    { status: 'DELETED', path: 'gone' },
    { status: 'ADDED', path: 'sub/new' },
  ];
  expect(await ask('changes', { path: directory.at('repo') })).toEqual([200, changes]);
  expect(await ask('changes', { path: 'repo', ref: first })).toEqual([
    200,
    [{ status: 'UPDATED', path: 'a' }, ...changes],
  ]);
});

test('the texts of a file before and after its changes', async () => {
  const path = directory.at('repo/a');
  expect(await ask('diff', { path, ref: first })).toEqual([200, { modified: '2\n', original: '1\r\n' }]);
  expect(await ask('diff', { path, commit: first })).toEqual([200, { modified: '1\r\n', original: '' }]);
  expect(await ask('diff', { path: directory.at('repo/gone') })).toEqual([200, { modified: '', original: '1' }]);
});

test('commits and the changes of one', async () => {
  const path = directory.at('repo');
  const listed = { author: 'An Author', timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) };
  expect(await ask('commits', { path, limit: '1' })).toEqual([
    200,
    {
      commits: [{ sha: second, short_sha: expect.stringMatching(/^[0-9a-f]{7,}$/), subject: 'second', ...listed }],
      has_more: true,
    },
  ]);
  expect(await ask(`commits/${second}/changes`, { path })).toEqual([200, [{ status: 'UPDATED', path: 'a' }]]);
});

test.for<readonly [string, string, unknown]>([
  ['changes', 'plain', []],
  ['changes', 'none', []],
  ['diff', 'plain/x', { modified: null, original: null }],
  ['commits', 'plain', { commits: [], has_more: false }],
  ['commits/abcdef/changes', 'plain', []],
])('%s of %s outside of a repository are empty', async ([route, path, empty]) => {
  expect(await ask(route, { path: directory.at(path) })).toEqual([200, empty]);
});

test.for<readonly [string, Readonly<Record<string, string>>, number]>([
  ['changes', { path: 'repo', ref: 'none' }, 400],
  ['changes', { path: 'repo', ref: '--output=x' }, 400],
  ['diff', { path: 'repo/none' }, 400],
  ['diff', { path: 'repo/a', ref: 'main', commit: 'abcd' }, 400],
  ['diff', { path: 'repo/a', commit: 'main' }, 422],
  ['commits', { path: 'repo', limit: '201' }, 422],
  ['commits/main/changes', { path: 'repo' }, 422],
  ['commits/deadbeef/changes', { path: 'repo' }, 400],
  ['changes', {}, 422],
])('%s with %o is answered with its status', async ([route, values, status]) => {
  expect((await ask(route, values))[0]).toBe(status);
});
