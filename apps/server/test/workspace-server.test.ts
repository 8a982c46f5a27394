import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedServer, type ScriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, onTestFinished, test } from 'vitest';
import { key, startServer, type ReplicaProcess } from './replica-group.ts';

const call = (name: string, args: Readonly<Record<string, unknown>>): ScriptedTurn => ({
  calls: [{ name, arguments: args }],
});
const finish = call('finish', { message: 'Done.' });

/** Directories of two machines, and the server of the other one. */
async function twoMachines() {
  const root = mkdtempSync(join(tmpdir(), 'varve machines-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [here, there] = [join(root, 'here'), join(root, 'there')];
  mkdirSync(there);
  const other = await started(join(root, 'other'), ['--store', 'memory:']);
  const settings = { VARVE_WORKSPACE_SERVER: other.url, WORKSPACE_SERVER_KEY: key };
  const store = ['--store', `sqlite:${join(root, 'varve.db')}`];
  return {
    here,
    there,
    other,
    start: async (directory = there) =>
      started(join(root, 'home'), store, { ...settings, VARVE_WORKSPACE_DIRECTORY: directory }),
  };
}

async function started(...options: Parameters<typeof startServer>): Promise<ReplicaProcess> {
  const [home, args, env] = options;
  const server = await startServer(home, ['--port', '0', ...args], env);
  onTestFinished(() => server.kill());
  return server;
}

function request({ url }: ScriptedServer, working_dir: string, tools: readonly string[]) {
  const llm = { model: 'openai/scripted', base_url: url, api_key: 'sk-of-the-test', num_retries: 0 };
  return {
    workspace: { working_dir, kind: 'LocalWorkspace' },
    confirmation_policy: { kind: 'NeverConfirm' },
    agent: { kind: 'Agent', llm, tools: tools.map((name) => ({ name })) },
    initial_message: messageOf('Go.'),
  };
}

function messageOf(text: string) {
  return { role: 'user', content: [{ type: 'text', text }], run: true };
}

/** Resolves when a conversation has finished after this number of requests to the model. */
async function finished(server: ReplicaProcess, id: string, [model, requests]: readonly [ScriptedServer, number]) {
  const status = async (): Promise<string> =>
    (await server.json<{ readonly execution_status: string }>('GET', `/conversations/${id}`)).execution_status;
  await expect.poll(async () => [model.requests.length, await status()]).toEqual([requests, 'finished']);
}

test('tools of conversations work on another agent-server, also after the server was killed, and in a fork', async () => {
  const { here, there, other, start } = await twoMachines();
  await using model = await scriptedServer([
    call('terminal', { command: 'mkdir sub && cd sub && echo one > command.txt' }),
    call('file_editor', { command: 'create', path: join(there, 'edited.txt'), file_text: 'a\n' }),
    finish,
    call('terminal', { command: 'echo two > resumed.txt' }),
    finish,
    call('terminal', { command: 'echo three > forked.txt' }),
    finish,
  ]);
  const first = await start();
  const tools = ['TerminalTool', 'file_editor', 'task_tracker'];
  const { id } = await first.json<{ readonly id: string }>('POST', '/conversations', request(model, here, tools));
  await finished(first, id, [model, 3]);
  expect(readFileSync(join(there, 'edited.txt'), 'utf8')).toBe('a\n');
  expect(readFileSync(join(there, 'sub/command.txt'), 'utf8')).toBe('one\n');
  await first.kill();
  // The settings are those of new conversations.
  const second = await start(join(here, 'missing'));
  await second.json('POST', `/conversations/${id}/events`, messageOf('Again.'));
  await finished(second, id, [model, 5]);
  expect(readFileSync(join(there, 'sub/resumed.txt'), 'utf8')).toBe('two\n');
  const fork = await second.json<{ readonly id: string }>('POST', `/conversations/${id}/fork`, {});
  await second.json('POST', `/conversations/${fork.id}/events`, messageOf('Once more.'));
  await finished(second, fork.id, [model, 7]);
  expect(readFileSync(join(there, 'forked.txt'), 'utf8')).toBe('three\n');
  expect(readdirSync(here)).toEqual(['.git']);
  const { items } = await other.json<{ readonly items: readonly object[] }>(
    'GET',
    '/bash/bash_events/search?kind__eq=BashCommand',
  );
  // A shell of this machine would write the same files.
  expect(items.flatMap((command) => /echo (?:one|two|three)/.exec(JSON.stringify(command)) ?? [])).toEqual([
    'echo one',
    'echo two',
    'echo three',
  ]);
  model.assertDone();
});

test('a conversation with a tool that works here only, and one in a directory that is missing there, are refused', async () => {
  const { here, there, start } = await twoMachines();
  await using model = await scriptedServer([]);
  const server = await start();
  const refused = await server.send('POST', '/conversations', request(model, here, ['apply_patch']));
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('The tool apply_patch cannot work'),
  ]);
  rmSync(there, { recursive: true });
  const missing = await server.send('POST', '/conversations', request(model, here, ['terminal']));
  expect([missing.status, await missing.text()]).toEqual([409, expect.stringContaining('cannot be used')]);
});
