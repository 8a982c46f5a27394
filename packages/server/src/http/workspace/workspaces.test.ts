import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import { conversationOf } from '../../../test/support/conversation-of.ts';
import { get, send, testKey } from '../../../test/support/requests.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const path = '/api/workspaces';
const workspace = { id: '1', name: 'One', path: '/one', parentPath: '/' };
const two = { id: '2', name: 'Two', path: '/two' };

test('workspaces and their parents are added once per path, kept in a file, and removed', async () => {
  await using directory = await temporaryDirectory();
  const options = { store: memoryStore(), keys: [testKey], home: directory.at('home') };
  const serving = server(options);
  expect(await (await get(serving, path)).json()).toEqual({ workspaces: [], workspaceParents: [] });
  await send(serving, 'POST', path, { workspaces: [workspace] });
  const [added, parents] = await Promise.all([
    send(serving, 'POST', path, { workspaces: [{ ...two, path: '/one' }, two] }),
    send(serving, 'POST', `${path}/parents`, { parents: [two, two] }),
  ]);
  expect([added.status, parents.status]).toEqual([200, 200]);
  const stored = await (await get(server(options), path)).json();
  expect(stored).toEqual({ workspaces: [workspace, two], workspaceParents: [two] });
  expect((await stat(directory.at('home/workspaces.json'))).mode & 0o777).toBe(0o600);
  const removed = await send(serving, 'DELETE', `${path}?path=/one`);
  expect([removed.status, await removed.json()]).toEqual([200, { deleted: true }]);
  expect((await send(serving, 'DELETE', `${path}?path=/one`)).status).toBe(404);
  expect((await send(serving, 'DELETE', `${path}/parents?path=/two`)).status).toBe(200);
  expect(await (await get(serving, path)).json()).toEqual({ workspaces: [two], workspaceParents: [] });
});

test('a damaged list is a conflict and is not overwritten', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.at('workspaces.json'), '{"workspaces":[');
  const serving = server({ store: memoryStore(), keys: [testKey], home: directory.path });
  expect((await get(serving, path)).status).toBe(409);
  expect((await send(serving, 'POST', path, { workspaces: [workspace] })).status).toBe(409);
});

test('the tools are listed by name', async () => {
  const serving = server({ store: memoryStore(), keys: [testKey] });
  for (const route of ['/api/tools/', '/api/tools']) {
    const names = await (await get(serving, route)).json();
    expect(names).toEqual(expect.arrayContaining(['terminal', 'file_editor', 'task_tracker', 'finish']));
  }
});

test('files of a working directory have their type and an origin of their own; a directory is its index.html', async () => {
  await using directory = await temporaryDirectory();
  const root = directory.at('work');
  await mkdir(directory.at('work/site/images'), { recursive: true });
  await writeFile(directory.at('work/site/index.html'), '<p>Hello');
  await writeFile(directory.at('work/site/späce.css'), 'p {}');
  await writeFile(directory.at('secret'), 'secret');
  await symlink(directory.path, directory.at('work/out'));
  const store = memoryStore();
  const id = await conversationOf(store, { meta: { workspace: root } });
  const serving = server({ store, keys: [testKey] });
  const file = (name: string) => get(serving, `/api/conversations/${id}/workspace${name}`);
  const page = await file('/site');
  expect([page.status, await page.text()]).toEqual([200, '<p>Hello']);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('content-security-policy')).toMatch(/^sandbox (?!.*allow-same-origin)/);
  expect((await file('/site/sp%C3%A4ce.css')).headers.get('content-type')).toContain('text/css');
  for (const name of ['', '/', '/site/images', '/none', '/site/none.js']) expect((await file(name)).status).toBe(404);
  for (const name of ['/..%2fsecret', '/site/..%2f..%2f..%2fsecret', '/%2fetc/passwd']) {
    expect((await file(name)).status, name).toBe(400);
  }
  expect((await file('/out/secret')).status).toBe(403);
  const unknown = await get(serving, `/api/conversations/${'0'.repeat(32)}/workspace/x`);
  expect(unknown.status).toBe(404);
});
