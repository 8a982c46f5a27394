import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { runProgram } from '../src/commands/program.ts';
import { oauthServer, type OAuthServer, type OAuthServerOptions } from './oauth-server.ts';
import { newHome, runVarve, type Invocation } from './run-varve.ts';

const question = 'paste the address that it shows: ';

/** Logs in; `visit` is called with the address for the browser and the input of the command. */
async function logIn(
  home: string,
  visit: (address: string, stdin: PassThrough) => unknown,
  env?: Readonly<Record<string, string>>,
  name = 'issues',
): Promise<Pick<Invocation, 'code' | 'stderr'>> {
  const isTTY = env !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  if (!isTTY) stdin.end();
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  let output = '';
  let isVisited = false;
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const address = /http:\S+\/authorize\S+/.exec(output)?.[0];
    if (isVisited || address === undefined || (isTTY && !output.includes(question))) return;
    isVisited = true;
    setImmediate(() => void visit(address, stdin));
  });
  const code = await runProgram(['mcp', 'login', name], {
    env: { PATH: process.env['PATH'], HOME: home, TERM: 'dumb', ...env },
    cwd: home,
    stdin,
    stdout: new PassThrough(),
    stderr,
  });
  return { code, stderr: output };
}

/** Follows the address as a browser does. */
const browser = async (address: string): Promise<string> => (await fetch(address)).text();

/** Returns the address to which a browser is redirected. */
async function redirect(address: string): Promise<URL> {
  const { headers } = await fetch(address, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '');
}

async function pasteRedirect(address: string, stdin: PassThrough): Promise<void> {
  stdin.write(`${(await redirect(address)).href}\r`);
}

async function prepared(
  asks: OAuthServerOptions = {},
  ...options: readonly string[]
): Promise<{ readonly home: string; readonly server: OAuthServer }> {
  const [home, server] = [await newHome(), await oauthServer(asks)];
  await runVarve(['mcp', 'add', 'issues', ...options, server.url], { home });
  return { home, server };
}

/** Adds a sub-agent `reader` of the user that has servers. */
async function trustSubAgent(home: string, servers: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(join(home, '.agents/agents'), { recursive: true });
  const header = `name: reader\nmcp_config: ${JSON.stringify(servers)}`;
  await writeFile(join(home, '.agents/agents/reader.md'), `---\n${header}\n---\nRead.`);
  const { stderr } = await runVarve(['trust', '--user'], { home });
  await runVarve(['trust', '--user', '--hash', /--hash ([0-9a-f]+)/.exec(stderr)?.[1] ?? ''], { home });
}

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'done' } }] };

/** Runs a task with scripted replies; returns the second request of the model too. */
async function run(
  home: string,
  args: readonly string[],
  turns: readonly ScriptedTurn[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly result: string } & Invocation> {
  await using model = await scriptedServer(turns);
  const options = ['--base-url', model.url, '--model', 'scripted', '--sandbox', 'off', '--confirm', 'never'];
  const ended = await runVarve(['run', ...options, ...args], { home, env: { LLM_API_KEY: 'key-0123456789', ...env } });
  return { ...ended, result: model.requests[1]?.text ?? '' };
}

/** Runs a task whose model calls the tool of the server; returns the request of the model with its result. */
async function calledTool(home: string): Promise<{ readonly result: string } & Invocation> {
  return run(home, ['go'], [{ calls: [{ name: 'mcp__issues__whoami', arguments: {} }] }, finish]);
}

test('a run calls a tool with the token of a login, which nothing prints or stores in clear', async () => {
  const { home, server } = await prepared();
  const before = await runVarve(['mcp', 'test', 'issues'], { home });
  expect(before.stderr).toContain('It requires a login: `varve mcp login issues`.');
  let page = '';
  const login = await logIn(home, async (address) => (page = await browser(address)));
  expect([login.code, page]).toEqual([0, 'You can close this page and return to the terminal.']);
  const [token = ''] = server.accessTokens;
  const { result, stdout, stderr } = await calledTool(home);
  expect([server.callers, result]).toEqual([[`Bearer ${token}`], expect.stringContaining('Bearer <secret-hidden>')]);
  expect(stdout + stderr + login.stderr).not.toContain(token);
  const [record = ''] = await readdir(join(home, '.varve/mcp-logins'));
  expect(await readFile(join(home, '.varve/mcp-logins', record), 'utf8')).not.toContain(token);
});

test.for(['tools/list', 'tools/call'])('a login that is needed for %s only is possible', async (method) => {
  const { home, server } = await prepared({ protects: [method] });
  const { result, stderr } = await calledTool(home);
  expect(result + stderr).toContain('It requires a login: `varve mcp login issues`.');
  expect((await logIn(home, browser)).code).toBe(0);
  expect((await calledTool(home)).result).toContain('Bearer <secret-hidden>');
  expect(server.callers).toHaveLength(1);
});

test('the login after a call without enough rights requests those that were missing, for the configured client', async () => {
  const { home, server } = await prepared({ scope: 'read write' }, '--client-id', 'client-of-mine');
  await logIn(home, browser);
  const { result } = await calledTool(home);
  expect(result).toContain('It requires a login with more rights (read write): `varve mcp login issues`.');
  expect((await logIn(home, browser)).code).toBe(0);
  expect(server.asked).toEqual(['client-of-mine null', 'client-of-mine read write']);
  expect((await calledTool(home)).result).toContain('Bearer <secret-hidden>');
  expect(server.requests).not.toContain('POST /register');
});

test('a login redirects to the configured port, and a port in use is named', async () => {
  const { home, server } = await prepared();
  const { port } = new URL(server.url);
  const auth = { strategy: 'oauth2', client_id: 'mine', redirect_port: Number(port) };
  await runVarve(['config', 'set', 'mcp_servers', JSON.stringify({ issues: { url: server.url, auth } })], { home });
  expect(await logIn(home, browser)).toEqual({
    code: 2,
    stderr: expect.stringContaining(`The port ${port} of the login`),
  });
});

test('a server of a sub-agent gets the token of a login at its address', async () => {
  const { home, server } = await prepared();
  await logIn(home, browser);
  await trustSubAgent(home, { own: { url: server.url } });
  const task = { subagent_type: 'reader', prompt: 'Ask.', description: 'Asks' };
  await run(
    home,
    ['--set', 'tools.add=task', 'go'],
    [
      { calls: [{ name: 'task', arguments: task }] },
      { calls: [{ name: 'mcp__own__whoami', arguments: {} }] },
      finish,
      finish,
    ],
  );
  expect(server.callers).toHaveLength(1);
});

test('the command of a message is that of the installation, and finds a server that only a sub-agent has', async () => {
  const { home, server } = await prepared();
  await trustSubAgent(home, { 'my own': { url: server.url } });
  const task = { subagent_type: 'reader', prompt: 'Ask.', description: 'Asks' };
  const { stderr } = await run(
    home,
    ['--set', 'tools.add=task', 'go'],
    [{ calls: [{ name: 'task', arguments: task }] }, finish, finish],
    { npm_lifecycle_event: 'start', npm_config_user_agent: 'pnpm/12.0.0' },
  );
  expect(stderr).toContain("`npx -y pnpm@12 -s start mcp login 'my own'`");
  expect((await logIn(home, browser, undefined, 'my own')).stderr).toMatch(/Logged in at my own\.\n$/);
  expect((await runVarve(['mcp', 'test', 'my own'], { home })).stdout).toBe('whoami\n');
});

test('a token that has expired is refreshed, and stored again', async () => {
  const { home, server } = await prepared();
  await logIn(home, browser);
  for (const calls of [1, 2]) {
    server.accessTokens.clear();
    const { result } = await calledTool(home);
    expect([server.callers.length, result]).toEqual([calls, expect.stringContaining('Bearer <secret-hidden>')]);
  }
  expect(server.requests.filter((request) => request === 'POST /token')).toHaveLength(3);
  expect(server.requests.filter((request) => request === 'POST /register')).toHaveLength(1);
});

test('a server of the older transport has the same login', async () => {
  const { home, server } = await prepared();
  const servers = JSON.stringify({ issues: { url: server.url, transport: 'sse' } });
  await runVarve(['config', 'set', 'mcp_servers', servers], { home });
  const before = await runVarve(['mcp', 'test', 'issues'], { home });
  expect(before.stderr).toContain('It requires a login: `varve mcp login issues`.');
  expect((await logIn(home, browser)).stderr).toMatch(/shows: \nLogged in at issues\.\n$/);
  expect(server.accessTokens.size).toBe(1);
});

test('a refresh that is refused ends the login', async () => {
  const { home, server } = await prepared();
  await logIn(home, browser);
  server.accessTokens.clear();
  server.refreshTokens.clear();
  const { stderr } = await runVarve(['mcp', 'test', 'issues'], { home });
  expect(stderr).toContain('It requires a login: `varve mcp login issues`.');
  expect((await runVarve(['mcp', 'logout', 'issues'], { home })).code).toBe(5);
});

test('on a terminal the address is opened in the browser', async () => {
  const { home } = await prepared();
  const bin = join(home, 'bin');
  await mkdir(bin);
  await writeFile(join(home, 'browser.mjs'), 'await fetch(process.argv[2]);');
  for (const name of ['open', 'xdg-open']) {
    await writeFile(join(bin, name), '#!/bin/sh\nexec "$NODE_PROGRAM" "$HOME/browser.mjs" "$1"\n');
    await chmod(join(bin, name), 0o755);
  }
  const env = { PATH: `${bin}:${process.env['PATH']}`, NODE_PROGRAM: process.execPath };
  expect(await logIn(home, () => undefined, env)).toMatchObject({ code: 0 });
});

test('the address to which a browser was redirected can be pasted, and another one is refused', async () => {
  const { home, server } = await prepared();
  const env = { PATH: '' };
  let status = 0;
  const forged = await logIn(
    home,
    async (address, stdin) => {
      const url = await redirect(address);
      url.searchParams.set('state', 'another');
      ({ status } = await fetch(url));
      stdin.write(`${url.href}\r`);
    },
    env,
  );
  expect([status, forged.code, server.accessTokens.size]).toEqual([400, 2, 0]);
  expect(forged.stderr).toContain('The address is the answer to another request.');
  expect(await logIn(home, pasteRedirect, env)).toMatchObject({ code: 0 });
  expect(server.accessTokens.size).toBe(1);
});

test('Ctrl-C ends a login without an answer', async () => {
  const { home } = await prepared();
  const { code, stderr } = await logIn(home, (_, stdin) => stdin.write('\u0003'), { PATH: '' });
  expect([code, stderr]).toEqual([2, expect.stringContaining('The login at issues was not finished.')]);
});

test('a logout removes the login, and a program has none', async () => {
  const { home } = await prepared();
  await logIn(home, browser);
  expect((await runVarve(['mcp', 'logout', 'issues'], { home })).code).toBe(0);
  expect((await runVarve(['mcp', 'test', 'issues'], { home })).stderr).toContain('It requires a login');
  await runVarve(['mcp', 'add', 'local', 'node'], { home });
  expect((await runVarve(['mcp', 'login', 'local'], { home })).code).toBe(2);
  expect((await runVarve(['mcp', 'login', 'unknown'], { home })).code).toBe(5);
});
