import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { openStore } from '@varve/storage';
import { runProgram } from '../src/commands/program.ts';
import { schemesOf } from '../src/home/schemes.ts';

/** Runs one invocation in this process, with its own streams and an empty home. */
async function varve(args: readonly string[], env: Record<string, string> = {}, stdin = '') {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runProgram(args, {
    env: { PATH: process.env['PATH'], HOME: home, ...env },
    cwd: home,
    stdin: Readable.from([stdin]),
    stdout,
    stderr,
  });
  stdout.end();
  stderr.end();
  return { code, stdout: await readAll(stdout), stderr: await readAll(stderr) };
}

test('a missing key is reported with a hint', async () => {
  const { code, stderr, stdout } = await varve(['run', 'x']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('No API key for openai (OPENAI_API_KEY is not set).');
  expect(stderr).toContain('OPENAI_API_KEY');
});

test.for([
  ['openrouter/qwen/qwen3-coder', 'OPENROUTER_API_KEY is not set'],
  ['acme/some-model', 'Unknown provider "acme".'],
])('the model %s is rejected before anything runs, with a hint', async ([model = '', problem = '']) => {
  const { code, stderr } = await varve(['run', 'x', '--model', model], { OPENAI_API_KEY: 'sk-not-for-others' });
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
  expect(stderr).toMatch(/Set LLM_API_KEY for any server|The providers are: openai, /);
});

test('a server without a model name is a usage error', async () => {
  const { code, stderr } = await varve(['run', 'x', '--base-url', 'http://127.0.0.1:9/v1']);
  expect(code).toBe(2);
  expect(stderr).toContain('--model');
});

test('an invalid address is reported', async () => {
  const { code, stderr } = await varve(['run', 'x', '--base-url', 'localhost:11434', '--model', 'm']);
  expect(code).toBe(2);
  expect(stderr).toContain('"localhost:11434"');
});

test.for(['http://', 'http://exa mple', 'https://me:hunter22@host.test', 'ftp://me:hunter22@host.test'])(
  'the address %s is refused, and no password in it is repeated',
  async (address) => {
    const { code, stderr } = await varve(['run', 'x', '--base-url', address]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is not the address of a server|contains a user name or password/);
    expect(stderr).not.toContain('hunter22');
  },
);

test('a model reference with an invalid address is rejected', async () => {
  const { code, stderr } = await varve(['run', 'x', '--model', 'http://#m']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not an http address')]);
});

test('a known provider receives only its own key, also by its address', async () => {
  const args = ['run', 'x', '--base-url', 'https://openrouter.ai/api/v1', '--model', 'm'];
  const { code, stderr } = await varve(args, { OPENAI_API_KEY: 'sk-not-for-others' });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('No API key for openrouter (OPENROUTER_API_KEY is not set).'),
  ]);
});

/** An address without a listener: its port was free a moment ago. */
async function deadAddress(): Promise<string> {
  await using server = await scriptedServer([]);
  return server.url;
}

test('an unreachable server is reported, and the conversation is stored', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const address = await deadAddress();
  const args = ['run', 'x', '--base-url', address, '--model', 'm'];
  const { code, stderr } = await varve(args, { VARVE_HOME: home });
  expect(code).toBe(3);
  expect(stderr).toContain(new URL(address).host);
  expect(stderr).toContain('--resume');
  const listed = await varve(['ls'], { VARVE_HOME: home });
  expect(listed.stdout).toContain('error');
});

test('no resume command is printed for a conversation in memory', async () => {
  const args = ['run', 'x', '--base-url', await deadAddress(), '--model', 'm', '--store', 'memory:'];
  const { code, stderr } = await varve(args);
  expect(code).toBe(3);
  expect(stderr).not.toContain('kept');
});

test('an unknown model is reported', async () => {
  await using server = await scriptedServer([
    {
      fault: {
        kind: 'answer',
        status: 404,
        body: { error: { message: 'The model `nope` does not exist', code: 'model_not_found' } },
      },
    },
  ]);
  const { code, stderr } = await varve(['run', 'x', '--base-url', server.url, '--model', 'nope']);
  expect(code).toBe(3);
  expect(stderr).toContain('nope');
  expect(stderr).toContain('--model');
});

test('a wrong key is reported without its value', async () => {
  await using server = await scriptedServer([], { apiKey: 'sk-right-key-123456' });
  const env = { LLM_API_KEY: 'sk-wrong-key-654321' };
  const { code, stderr } = await varve(['run', 'x', '--base-url', server.url, '--model', 'm'], env);
  expect(code).toBe(3);
  expect(stderr).toContain('LLM_API_KEY');
  expect(stderr).not.toContain('sk-wrong-key-654321');
});

test('a store below a file is reported', async () => {
  const { code, stderr } = await varve(['ls', '--store', 'sqlite:/dev/null/varve.db']);
  expect(code).toBe(4);
  expect(stderr).toContain('/dev/null');
});

test('an unknown conversation is reported', async () => {
  const id = 'f'.repeat(32);
  for (const args of [
    ['show', id],
    ['run', '--resume', id, '--base-url', 'http://127.0.0.1:9/v1', '--model', 'm'],
  ]) {
    const { code, stderr } = await varve(args);
    expect(code).toBe(5);
    expect(stderr).toContain(id);
  }
});

test('a workspace that is not a directory is reported', async () => {
  const args = ['run', 'x', '--workspace', '/no/such/dir', '--base-url', 'http://127.0.0.1:9/v1', '--model', 'm'];
  const { code, stderr } = await varve(args);
  expect(code).toBe(2);
  expect(stderr).toContain('/no/such/dir');
});

test('an unknown option, policy, count or store is a usage error', async () => {
  const local = ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'm'];
  for (const args of [
    ['run', '--nope', 'x'],
    ['run', 'x', '--confirm', 'maybe'],
    ['run', 'x', '--max-steps', '0'],
  ]) {
    expect((await varve(args)).code).toBe(2);
  }
  expect((await varve(['run', 'x', ...local, '--store', 'ftp://x'])).code).toBe(2);
  expect((await varve(['run', 'x', ...local, '--approve'])).code).toBe(2);
});

test('a missing task is a usage error with an example', async () => {
  const { code, stderr } = await varve(['run', '--base-url', 'http://127.0.0.1:9/v1', '--model', 'm']);
  expect(code).toBe(2);
  expect(stderr).toContain('varve run "');
});

test('the task is read from standard input', async () => {
  await using server = await scriptedServer([{ text: 'Hello back.' }]);
  const { code, stdout } = await varve(['run', '--base-url', server.url, '--model', 'm'], {}, 'Print hello.\n');
  expect([code, stdout]).toEqual([0, 'Hello back.\n']);
  expect(JSON.stringify(server.requests[0])).toContain('Print hello.');
});

test('help and version go to stdout with status 0', async () => {
  const { code, stdout } = await varve(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('Exit status');
  expect((await varve(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('waiting calls end the command, and a later one approves them', async () => {
  const calls = [{ name: 'terminal', arguments: { command: 'echo approved > file.txt' } }];
  await using server = await scriptedServer([{ calls }, { text: 'Done.' }]);
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const env = { VARVE_HOME: home };
  const local = ['--base-url', server.url, '--model', 'm', '--confirm', 'always'];
  const first = await varve(['run', 'Write it.', ...local], env);
  expect(first.code).toBe(7);
  expect(first.stderr).toContain('Waiting for approval of 1 tool call:\n│ $ echo approved > file.txt\n');
  const [, id = '', digest = ''] = /--resume (\w+) --approve (\w+)/.exec(first.stderr) ?? [];
  expect(digest).toMatch(/^[0-9a-f]{16}$/);
  const unnamed = await varve(['run', '--resume', id, '--approve'], env);
  expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('--approve needs the digest')]);
  const other = await varve(['run', '--resume', id, '--approve', '0'.repeat(16)], env);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('are not the approved ones')]);
  const again = await varve(['run', '--resume', id], env);
  expect([again.code, again.stderr]).toEqual([7, expect.stringContaining(`--approve ${digest}\n`)]);
  const second = await varve(['run', '--resume', id, '--approve', digest], env);
  expect([second.code, second.stdout]).toEqual([0, 'Done.\n']);
  expect(second.stderr).toContain('Approved 1 tool call:\n│ $ echo approved > file.txt\n');
});

test('the stored confirmation policy applies after --resume, unless --confirm is set', async () => {
  const call = { calls: [{ name: 'terminal', arguments: { command: 'echo ran' } }] };
  await using server = await scriptedServer([{ text: 'Ready.' }, call, call, { text: 'Done.' }]);
  const env = { VARVE_HOME: await mkdtemp(join(tmpdir(), 'varve-home-')) };
  const local = ['--base-url', server.url, '--model', 'm'];
  const first = await varve(['run', 'Get ready.', '--confirm', 'always', ...local], env);
  const id = /conversation (\w+)/.exec(first.stderr)?.[1] ?? '';
  const second = await varve(['run', 'Go.', '--resume', id, ...local], env);
  expect([first.code, second.code]).toEqual([0, 7]);
  const third = await varve(['run', 'Go.', '--resume', id, '--confirm', 'never', ...local], env);
  expect([third.code, third.stdout]).toEqual([0, 'Done.\n']);
});

test('a stored policy that the command does not know is an error that names the option to set', async () => {
  const env = { VARVE_HOME: await mkdtemp(join(tmpdir(), 'varve-home-')) };
  const id = 'a'.repeat(32);
  {
    await using store = await openStore(`sqlite:${join(env.VARVE_HOME, 'varve.db')}`, schemesOf({}));
    const agent = { confirmation_policy: { kind: 'AskTheBoss' } };
    const log = await store.create(id, { workspace: env.VARVE_HOME, agent });
    await log[Symbol.asyncDispose]();
  }
  const local = ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'm'];
  const { code, stderr } = await varve(['run', 'Go.', '--resume', id, ...local], env);
  expect(code).toBe(2);
  expect(stderr).toContain('AskTheBoss');
  expect(stderr).toContain('--confirm');
});

test('show --messages prints the next request, and accepts a short id', async () => {
  await using server = await scriptedServer([{ text: 'Blue.' }]);
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const env = { VARVE_HOME: home };
  const first = await varve(['run', 'Which colour?', '--base-url', server.url, '--model', 'm'], env);
  const id = /conversation (\w+)/.exec(first.stderr)?.[1] ?? '';
  const { code, stdout } = await varve(['show', id.slice(0, 8), '--messages'], env);
  expect(code).toBe(0);
  const request = JSON.parse(stdout) as { messages: { role: string }[]; tools: { name: string }[] };
  expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
  expect(request.tools.map(({ name }) => name)).toContain('terminal');
});

/** A terminal call that the model rates as harmless. */
function harmless(command: string) {
  return { calls: [{ name: 'terminal', arguments: { command, security_risk: 'LOW' } }] };
}

test('with --confirm risky, a dangerous command waits whatever the rating of the model', async () => {
  await using server = await scriptedServer([harmless('echo fine'), harmless('npm publish')]);
  const args = ['run', 'Tidy up.', '--base-url', server.url, '--model', 'm', '--confirm', 'risky', '--json'];
  const { code, stdout } = await varve(args);
  expect(code).toBe(7);
  expect(stdout).toContain('"exit_code":0');
  server.assertDone();
});

test.for([
  ['verify', 'abc'],
  ['import', '-'],
])('a malformed key of `%s --trust` is reported before anything is read', async (command) => {
  const { code, stderr } = await varve([...command, '--trust', 'did:key:nonsense']);
  expect(code).toBe(2);
  expect(stderr).toContain('It must be an Ed25519 public key');
  expect(stderr).not.toContain('varve ls');
});

test.for([
  [['frobnicate'], "unknown command 'frobnicate'"],
  [['verfy', 'x'], '(Did you mean verify?)'],
  [['config', 'frob'], "unknown command 'config frob' (commands: list, "],
  [['profile', 'frob', 'x'], "unknown command 'profile frob'"],
  [['secret', 'st', 'NAME'], "unknown command 'secret st' (commands: "],
  [['permissions', 'allow', 'command', 'ls'], "unknown command 'permissions allow' (commands: list, add, rm"],
] as const)('%j is an unknown command', async ([args, message]) => {
  const { code, stdout, stderr } = await varve(args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
});
