import { mkdtempDisposable, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workspaces } from './workspace-list.ts';

const entry = (path: string) => ({ id: path, name: path, path });

test('entries that two servers add and remove at the same time are all kept', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const file = join(directory.path, 'home', 'workspaces.json');
  const servers = [workspaces(file), workspaces(file)];
  const paths = Array.from({ length: 20 }, (_, n) => `/projects/${n}`);
  await Promise.all(paths.map(async (path, n) => servers[n % 2]?.add({ workspaces: [entry(path)] })));
  for (const server of servers) {
    expect((await server.list()).workspaces.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
  }
  const removed = paths.slice(0, 10).map(async (path, n) => servers[n % 2]?.remove('workspaces', path));
  await Promise.all([...removed, servers[0]?.add({ workspaceParents: [entry('/parent')] })]);
  const { workspaces: left, workspaceParents } = (await servers[1]?.list()) ?? {};
  expect(left?.map(({ path }) => path).toSorted()).toEqual(paths.slice(10).toSorted());
  expect(workspaceParents).toHaveLength(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(join(file, '..'))).toSorted()).toEqual(['workspaces.json', 'workspaces.json.lock']);
});
