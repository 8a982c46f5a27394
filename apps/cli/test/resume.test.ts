import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedServer } from '@varve/llm/testing';
import { appMain } from '../../../tests/app-main.ts';
import { runProgram } from '../src/commands/program.ts';
import { processEnvironment } from './process-environment.ts';

type RecordedRequest = ScriptedServer['requests'][number];

const main = appMain('cli');
const step = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };

async function home() {
  const directory = await mkdtemp(join(tmpdir(), 'varve-home-'));
  return async (args: readonly string[], env: Record<string, string> = {}) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const all = { PATH: process.env['PATH'], HOME: directory, ...env };
    const code = await runProgram(args, { env: all, cwd: directory, stdin: Readable.from([]), stdout, stderr });
    stdout.end();
    stderr.end();
    const outcome = { code, stdout: await readAll(stdout), stderr: await readAll(stderr) };
    return { ...outcome, id: /conversation (\w+)/.exec(outcome.stderr)?.[1] ?? '' };
  };
}

const sent = ({ text, headers }: RecordedRequest) => ({
  model: (JSON.parse(text) as { readonly model: string }).model,
  key: headers['authorization'],
});

test('a resumed conversation stays at its server, whatever the environment contains', async () => {
  await using server = await scriptedServer([{ text: 'One.' }, { text: 'Two.' }]);
  await using other = await scriptedServer([]);
  const varve = await home();
  const { id } = await varve(['run', 'Count.', '--base-url', server.url, '--model', 'ours']);
  const env = { LLM_BASE_URL: other.url, LLM_MODEL: 'theirs', LLM_API_KEY: 'key-of-the-other', OPENAI_API_KEY: 'sk-o' };
  const { code, stdout } = await varve(['run', 'And now?', '--resume', id], env);
  expect([code, stdout]).toEqual([0, 'Two.\n']);
  expect(server.requests.map(sent).at(-1)).toEqual({ model: 'ours', key: 'Bearer none' });
  expect(other.requests).toEqual([]);
});

test('--model changes the name of the model, which is announced and stored', async () => {
  await using server = await scriptedServer([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const varve = await home();
  const { id } = await varve(['run', 'Count.', '--base-url', server.url, '--model', 'ours']);
  const { stderr } = await varve(['run', 'More.', '--resume', id, '--model', 'next']);
  expect(stderr).toContain('The model changes from ours to next.');
  await varve(['run', 'More.', '--resume', id]);
  expect(server.requests.map((request) => sent(request).model)).toEqual(['ours', 'next', 'next']);
});

test('another server needs --base-url, and is announced', async () => {
  await using server = await scriptedServer([{ text: 'One.' }]);
  await using other = await scriptedServer([{ text: 'Two.' }]);
  const varve = await home();
  const { id } = await varve(['run', 'Count.', '--base-url', server.url, '--model', 'ours']);
  const env = { OPENROUTER_API_KEY: 'or-0123456789' };
  const refused = await varve(['run', 'More.', '--resume', id, '--model', 'openrouter/maker/model'], env);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(new URL(server.url).origin);
  expect(refused.stderr).toContain('https://openrouter.ai.');
  expect(refused.stderr).toContain('--base-url https://openrouter.ai/api/v1');
  const moved = await varve(['run', 'More.', '--resume', id, '--base-url', other.url]);
  expect([moved.code, moved.stdout]).toEqual([0, 'Two.\n']);
  expect(moved.stderr).toContain(`moves from ${new URL(server.url).origin} to ${new URL(other.url).origin}`);
  expect(other.requests.map((request) => sent(request).model)).toEqual(['ours']);
});

test('prompt-based calls and the step limit apply again', async () => {
  const think = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
  await using server = await scriptedServer([think, think, think, { text: 'Done.' }], { prompted: true });
  const varve = await home();
  const options = ['--base-url', server.url, '--model', 'm', '--function-calling', 'mock', '--max-steps', '1'];
  const first = await varve(['run', 'Think.', ...options]);
  expect([first.code, first.stderr]).toEqual([
    6,
    expect.stringContaining('Stopped at the step limit (--max-steps 1).'),
  ]);
  expect(first.stderr).toContain(`Resume with: varve run --resume ${first.id}\n`);
  const second = await varve(['run', '--resume', first.id]);
  expect([second.code, second.stderr]).toEqual([6, expect.stringContaining('Stopped at the step limit.')]);
  expect((await varve(['run', '--resume', first.id, '--max-steps', '9'])).code).toBe(0);
  for (const { text } of server.requests) expect(JSON.parse(text)).not.toHaveProperty('tools');
});

test('a resumed run shows what the conversation is about, and prints only new events as JSON', async () => {
  await using server = await scriptedServer([{ text: 'It is blue.' }, { text: 'Still blue.' }]);
  const varve = await home();
  const { id } = await varve(['run', 'Which colour?', '--base-url', server.url, '--model', 'm']);
  const { stdout, stderr } = await varve(['run', 'Sure?', '--resume', id, '--json']);
  expect(stderr).toMatch(/resumed: ("Which colour\?" · )?\d+ events · last message: It is blue\.\n/);
  expect(stdout).toContain('Sure?');
  expect(stdout).toContain('Still blue.');
  expect(stdout).not.toContain('It is blue.');
});

test('a conversation can be resumed as soon as its id is printed', async () => {
  const { promise: forever, resolve: release } = Promise.withResolvers<void>();
  const hanging = async () => {
    await forever;
    return step;
  };
  await using server = await scriptedServer([hanging, { text: 'Done.' }]);
  const directory = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const env = processEnvironment(directory);
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [main, 'run', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const first = start(['--base-url', server.url, '--model', 'm', '--workspace', directory, 'Go.']);
  let output = '';
  for await (const chunk of first.stderr) {
    output += String(chunk);
    if (/conversation \w{32}/.test(output)) break;
  }
  first.kill('SIGKILL');
  await once(first, 'exit');
  const [, id = ''] = /conversation (\w{32})/.exec(output) ?? [];
  const second = start(['--resume', id]);
  const exit = once(second, 'exit');
  const errors = readAll(second.stderr);
  // The first request may not have reached the server, so its script may still be at the beginning.
  release();
  expect([(await exit)[0], await errors]).toEqual([0, expect.not.stringContaining('no message')]);
});
