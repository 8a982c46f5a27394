import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../src/server.ts';
import { conversationOf, testId } from './support/conversation-of.ts';
import { testKey } from './support/requests.ts';

const secret = 'outside-of-the-workspace';

/** A server, and a conversation whose workspace has links that lead outside. */
async function started() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'varve-paths-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const workspace = join(root, 'workspace');
  await mkdir(join(workspace, 'inner'), { recursive: true });
  await mkdir(join(root, 'workspace-other'));
  await writeFile(join(root, 'secret.txt'), secret);
  await writeFile(join(root, 'workspace-other', 'secret.txt'), secret);
  await writeFile(join(workspace, 'inside.txt'), 'inside');
  await symlink(join(root, 'secret.txt'), join(workspace, 'link.txt'));
  await symlink(root, join(workspace, 'up'));
  await symlink('../../secret.txt', join(workspace, 'inner', 'index.html'));
  const store = memoryStore();
  await conversationOf(store, { meta: { workspace } });
  const listening = await server({ store, keys: [testKey] }).listen(0);
  onTestFinished(() => listening[Symbol.asyncDispose]());
  /** Sends a path as it is: a client of HTTP would shorten it. */
  const get = async (path: string): Promise<string> => {
    const socket = connect(listening.port, '127.0.0.1');
    const target = `/api/conversations/${testId(1)}/workspace/${path.replaceAll('ROOT', root)}`;
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-Session-API-Key: ${testKey}\r\nConnection: close\r\n\r\n`,
    );
    return text(socket);
  };
  return { get };
}

test.for([
  '../secret.txt',
  'inner/../../secret.txt',
  '..%2fsecret.txt',
  '..%2Fsecret.txt',
  '%2e%2e/secret.txt',
  '%2e%2e%2fsecret.txt',
  '%252e%252e%252fsecret.txt',
  '..%5csecret.txt',
  '..\\secret.txt',
  '../workspace-other/secret.txt',
  '..%2fworkspace-other%2fsecret.txt',
  'ROOT/secret.txt',
  '%2f..%2fsecret.txt',
  '/ROOT/secret.txt',
  'link.txt',
  'up/secret.txt',
  'up%2fsecret.txt',
  'inner',
  'inner/',
  'inside.txt%00/../../secret.txt',
  'inside.txt/../../secret.txt',
  'file:%2f%2fROOT/secret.txt',
])('the path "%s" does not leave the workspace', async (path) => {
  const { get } = await started();
  const response = await get(path);
  expect(response).not.toContain(secret);
  expect(response).toMatch(/^HTTP\/1\.1 4\d\d /);
});

test('a file of the workspace is sent as a page without the rights of the server', async () => {
  const { get } = await started();
  const response = await get('inside.txt');
  expect(response).toMatch(/^HTTP\/1\.1 200 /);
  expect(response).toMatch(/^content-security-policy: sandbox (?!.*allow-same-origin)/im);
});
