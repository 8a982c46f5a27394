import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectories } from '@varve/files';
import { memoryStore } from '@varve/storage';
import { expect, test } from 'vitest';
import { server } from '../../server.ts';
import { get, testKey } from '../../../test/support/requests.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

interface Places {
  /** Working tree below the root of the server; it has an empty repository. */
  readonly tree: string;
  /** Repository with a commit outside of the root. */
  readonly outside: string;
  readonly git: (cwd: string, ...args: readonly string[]) => string;
}

function replaceLink(target: string, path: string): void {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

/** Ways in which files of a working tree name a repository that is elsewhere; each returns the path to ask for. */
const ways: readonly (readonly [string, (places: Places) => string])[] = [
  ['a link to the tree', ({ tree, outside }) => (replaceLink(outside, tree), tree)],
  ['a link to the repository', ({ tree, outside }) => (replaceLink(`${outside}/.git`, `${tree}/.git`), tree)],
  [
    'a file that names it',
    ({ tree, outside }) => {
      rmSync(`${tree}/.git`, { recursive: true });
      writeFileSync(`${tree}/.git`, `gitdir: ${outside}/.git\n`);
      return tree;
    },
  ],
  [
    'a common directory',
    ({ tree, outside }) => {
      writeFileSync(`${tree}/.git/commondir`, `${outside}/.git\n`);
      return tree;
    },
  ],
  [
    'borrowed objects',
    ({ tree, outside, git }) => {
      writeFileSync(`${tree}/.git/objects/info/alternates`, `${outside}/.git/objects\n`);
      writeFileSync(`${tree}/.git/refs/heads/main`, git(outside, 'rev-parse', 'HEAD'));
      return tree;
    },
  ],
  [
    'links to objects and branches',
    ({ tree, outside }) => {
      for (const name of ['objects', 'refs']) replaceLink(`${outside}/.git/${name}`, `${tree}/.git/${name}`);
      return tree;
    },
  ],
  [
    'links of links',
    ({ tree, outside }) => {
      makeDirectories(`${tree}/hop`, 0o700);
      for (const name of ['objects', 'refs']) symlinkSync(`${outside}/.git/${name}`, `${tree}/hop/${name}`);
      writeFileSync(`${tree}/hop/HEAD`, 'ref: refs/heads/main\n');
      replaceLink(`${tree}/hop`, `${tree}/.git`);
      return tree;
    },
  ],
  [
    'a repository around the root',
    ({ tree, outside }) => {
      rmSync(`${tree}/.git`, { recursive: true });
      cpSync(`${outside}/.git`, join(outside, '../.git'), { recursive: true });
      return tree;
    },
  ],
];

test.for(ways)('no route of git reads a repository outside of the roots: %s', async ([, prepare]) => {
  await using directory = await temporaryDirectory();
  const { at } = directory;
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const env = { PATH: process.env['PATH'], HOME: directory.path, GIT_CONFIG_NOSYSTEM: '1', ...who };
  const git: Places['git'] = (cwd, ...args) => execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
  const [outside, tree] = [at('around/outside'), at('around/root/tree')];
  for (const path of [outside, tree]) {
    makeDirectories(path, 0o700);
    git(path, 'init', '-q', '-b', 'main');
  }
  writeFileSync(`${outside}/file`, 'hidden text');
  git(outside, 'add', '.');
  git(outside, 'commit', '-q', '-m', 'hidden text');
  const options = { store: memoryStore(), keys: [testKey], fileRoots: [at('around/root')] };
  await using serving = server(options);
  const places = { tree, outside, git };
  const path = prepare(places);
  const commit = git(outside, 'rev-parse', 'HEAD').trim();
  const answers = [
    `git/changes?${query(path)}`,
    `git/diff?${query(`${path}/file`)}`,
    `git/commits?${query(path)}`,
    `git/commits/${commit}/changes?${query(path)}`,
    `file/archive?${query(path)}`,
  ].map(async (route) => {
    const response = await get(serving, `/api/${route}`);
    return [response.status, await response.text()] as const;
  });
  for (const [status, text] of await Promise.all(answers)) {
    expect(status).toBe(403);
    expect(text).not.toContain('hidden');
  }
});

function query(path: string): string {
  return new URLSearchParams({ path }).toString();
}
