import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { BashWebSocketClient, RemoteWorkspace } from './official-client.ts';
import type { ClientCases, OpenedClient } from './open-client.ts';

const run = promisify(execFile);

/** Returns the facade of a workspace. */
function workspaceOf({ url, apiKey, workspace: workingDir }: OpenedClient) {
  return new RemoteWorkspace({ host: url, workingDir, apiKey });
}

/** Resolves when the command has an exit code. */
async function endOf({ client }: OpenedClient, commandId: string): Promise<void> {
  for (;;) {
    const { items } = await client.bash.searchEvents({ command_id__eq: commandId });
    if (items.some((event) => 'exit_code' in event && typeof event.exit_code === 'number')) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Cases of workspace. */
export const workspaceCases: ClientCases = {
  'files are uploaded, downloaded and listed': async (open) => {
    await using opened = await open();
    const workspace = workspaceOf(opened);
    const path = join(opened.workspace, 'deep', 'note.txt');
    expect(await workspace.uploadText('grüße\n', path)).toMatchObject({ success: true });
    expect(await workspace.downloadAsText(path)).toBe('grüße\n');
    expect(await (await workspace.downloadAsBlob(path)).text()).toBe('grüße\n');
    await opened.client.files.uploadTextFile('other\n', path);
    expect(await opened.client.files.downloadTextFile(path)).toBe('other\n');
    expect(await opened.client.files.getHome()).toHaveProperty('home');
    const { items } = await opened.client.files.searchSubdirectories(opened.workspace);
    expect(items.map(({ name }) => name)).toEqual(['deep']);
    await expect(opened.client.files.downloadFile(join(opened.workspace, 'none'))).rejects.toMatchObject({
      status: 404,
    });
  },
  'commands are executed, with their exit codes and in their directory': async (open) => {
    await using opened = await open();
    const done = await workspaceOf(opened).executeCommand('printf "%s" "$PWD"; exit 3', opened.workspace);
    expect(done).toMatchObject({ exit_code: 3, stdout: opened.workspace });
  },
  'commands in the background are found, page by page, and cleared': async (open) => {
    await using opened = await open();
    const { bash } = opened.client;
    const command = await bash.startCommand('echo background');
    await endOf(opened, command.id);
    const { items } = await bash.searchEvents({ command_id__eq: command.id });
    expect(items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['BashOutput']));
    expect(await bash.getEvent(command.id)).toMatchObject({ id: command.id, command: 'echo background' });
    expect(await bash.getEvents([command.id, 'f'.repeat(32)])).toMatchObject([{ id: command.id }, null]);
    const { cleared_count: cleared } = await bash.clearEvents();
    expect(cleared).toBeGreaterThan(0);
    expect((await bash.searchEvents()).items).toEqual([]);
  },
  'changes and differences of a repository are listed': async (open) => {
    await using opened = await open();
    const { workspace: cwd } = opened;
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd });
    await git('init', '-q');
    await writeFile(join(cwd, 'a.txt'), 'one\n');
    await git('add', '.');
    await git('commit', '-qm', 'Add a');
    await writeFile(join(cwd, 'a.txt'), 'two\n');
    await writeFile(join(cwd, 'b.txt'), 'new\n');
    const changes = await workspaceOf(opened).gitChanges(cwd);
    expect(changes).toHaveLength(2);
    const diff = await workspaceOf(opened).gitDiff(join(cwd, 'a.txt'));
    expect(diff).toMatchObject({ original: 'one\n', modified: 'two\n' });
  },
  'the socket of commands sends what was executed': async (open) => {
    await using opened = await open();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const socket = new BashWebSocketClient({
      host: opened.url,
      apiKey: opened.apiKey,
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
  },
  'files of a workspace are read with the session of a conversation': async (open) => {
    await using opened = await open();
    const conversation = opened.conversation();
    await conversation.start();
    const workspace = workspaceOf(opened);
    expect(await workspace.startWorkspaceSession(conversation.id)).toContain(conversation.id);
    await workspace.deleteWorkspaceSession();
  },
  'workspaces are added and removed': async (open) => {
    await using opened = await open();
    const { workspaces } = opened.client;
    const item = { id: opened.workspace, name: 'mine', path: opened.workspace };
    expect((await workspaces.addWorkspaces([item])).workspaces).toMatchObject([{ path: opened.workspace }]);
    const parents = [{ id: 'parent', name: 'all', path: dirname(opened.workspace) }];
    expect(await workspaces.addWorkspaceParents(parents)).toMatchObject({ workspaceParents: [{ name: 'all' }] });
    await workspaces.deleteWorkspaceParent(dirname(opened.workspace));
    await workspaces.deleteWorkspace(opened.workspace);
    expect((await workspaces.listWorkspaces()).workspaces).toEqual([]);
  },
};
