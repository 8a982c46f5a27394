import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testKey } from '../support/requests.ts';
import { BashWebSocketClient, RemoteWorkspace } from './official-client.ts';
import { openClient, type OpenedClient } from './open-client.ts';

const run = promisify(execFile);

let opened: OpenedClient;
let workspace: InstanceType<typeof RemoteWorkspace>;
beforeEach(async () => {
  opened = await openClient();
  workspace = new RemoteWorkspace({ host: opened.url, workingDir: opened.workspace, apiKey: testKey });
});
afterEach(() => opened[Symbol.asyncDispose]());

test('files are uploaded, downloaded and listed', async () => {
  const path = join(opened.workspace, 'deep', 'note.txt');
  expect(await workspace.uploadText('grüße\n', path)).toMatchObject({ success: true });
  expect(await workspace.downloadAsText(path)).toBe('grüße\n');
  expect(await opened.client.files.getHome()).toHaveProperty('home');
  const { items } = await opened.client.files.searchSubdirectories(opened.workspace);
  expect(items.map(({ name }) => name)).toEqual(['deep']);
  await expect(opened.client.files.downloadFile(join(opened.workspace, 'none'))).rejects.toMatchObject({ status: 404 });
});

test('commands are executed, with their exit codes and in their directory', async () => {
  const done = await workspace.executeCommand('printf "%s" "$PWD"; exit 3', opened.workspace);
  expect(done).toMatchObject({ exit_code: 3, stdout: opened.workspace });
});

test('commands in the background are found, page by page, and cleared', async () => {
  const { bash } = opened.client;
  const command = await bash.startCommand('echo background');
  await endOf(command.id);
  const { items } = await bash.searchEvents({ command_id__eq: command.id });
  expect(items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['BashOutput']));
  expect(await bash.getEvent(command.id)).toMatchObject({ id: command.id, command: 'echo background' });
  expect(await bash.getEvents([command.id, 'f'.repeat(32)])).toMatchObject([{ id: command.id }, null]);
  const { cleared_count: cleared } = await bash.clearEvents();
  expect(cleared).toBeGreaterThan(0);
  expect((await bash.searchEvents()).items).toEqual([]);
});

/** Resolves when the command has an exit code. */
async function endOf(commandId: string): Promise<void> {
  for (;;) {
    const { items } = await opened.client.bash.searchEvents({ command_id__eq: commandId });
    if (items.some((event) => 'exit_code' in event && typeof event.exit_code === 'number')) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('changes and differences of a repository are listed', async () => {
  const { workspace: cwd } = opened;
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd });
  await git('init', '-q');
  await writeFile(join(cwd, 'a.txt'), 'one\n');
  await git('add', '.');
  await git('commit', '-qm', 'Add a');
  await writeFile(join(cwd, 'a.txt'), 'two\n');
  await writeFile(join(cwd, 'b.txt'), 'new\n');
  const changes = await workspace.gitChanges(cwd);
  expect(changes).toHaveLength(2);
  const diff = await workspace.gitDiff(join(cwd, 'a.txt'));
  expect(diff).toMatchObject({ original: 'one\n', modified: 'two\n' });
});

test('the socket of commands sends what was executed', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const socket = new BashWebSocketClient({
    host: opened.url,
    apiKey: testKey,
    resendMode: 'all',
    callback(event) {
      if (event.kind === 'BashOutput') resolve(event);
    },
    onError: reject,
  });
  socket.start();
  await opened.client.bash.executeCommand('echo seen');
  expect(await promise).toMatchObject({ stdout: 'seen\n' });
  socket.stop();
});

test('workspaces are added and removed', async () => {
  const { workspaces } = opened.client;
  const item = { id: opened.workspace, name: 'mine', path: opened.workspace };
  expect((await workspaces.addWorkspaces([item])).workspaces).toMatchObject([{ path: opened.workspace }]);
  await workspaces.deleteWorkspace(opened.workspace);
  expect((await workspaces.listWorkspaces()).workspaces).toEqual([]);
});
