import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';

const main = appMain('cli');
const secrets = {
  LLM_API_KEY: 'llm-key-0123456789abcdef',
  OH_SESSION_API_KEYS_0: 'session-key-0123456789',
  PGPASSWORD: 'p"a\\s\'s\n$(date) `x` ä 😀',
  NODE_AUTH_TOKEN: 'node-token-0123456789',
  DATABASE_URL: 'postgres://user:word@db/x',
  VARVE_PADDING: 'x'.repeat(20_000),
};

/** Runs `varve run` with a model that asks for one command, and returns the text of the log. */
async function outputOfCommand(
  command: string,
  { env = {}, args = [] }: { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] } = {},
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  await using server = await scriptedServer([
    { calls: [{ name: 'terminal', arguments: { command } }] },
    { calls: [{ name: 'finish', arguments: { message: 'done' } }] },
  ]);
  const options = [
    '--base-url',
    server.url,
    '--model',
    'scripted',
    '--store',
    'memory:',
    '--json',
    '--confirm',
    'never',
    // A sandbox hides the process of varve anyway.
    '--sandbox',
    'off',
    '-w',
    home,
    ...args,
  ];
  const child = spawn(process.execPath, [main, 'run', ...options, 'go'], {
    env: processEnvironment(home, { LANG: 'C.UTF-8', CI: '1', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'exit')]);
  expect({ stderr, code: child.exitCode }).toMatchObject({ code: 0 });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const result = lines.find(({ kind, tool_name: tool }) => kind === 'ObservationEvent' && tool === 'terminal');
  return JSON.stringify(result);
}

/** Prints the environment, that of the process of varve, and its arguments. */
const print = `env; cat /proc/$PPID/environ 2>/dev/null | tr '\\0' '\\n' || ps eww -p $PPID; ps -o args= -p $PPID`;

test('a command finds no key in the environment, the process of varve and its arguments', async () => {
  const output = await outputOfCommand(print, { env: secrets });
  expect(output).toMatch(/LANG=C\.UTF-8.*main\.js run --base-url/);
  for (const name of Object.keys(secrets)) expect(output).not.toContain(name);
  for (const value of ['0123456789', '$(date)', 'word@db', 'xxxxxxxx']) expect(output).not.toContain(value);
});

/** Runs a command by `varve serve`, with its key in the arguments, and returns its output. */
async function outputOfServedCommand(command: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const args = [
    'serve',
    '--port',
    '0',
    '--store',
    'memory:',
    '--key',
    'argument-key-0123456789',
    '--log-level',
    'silent',
    '--sandbox',
    'off',
  ];
  const child = spawn(process.execPath, [main, ...args], {
    env: processEnvironment(home, { LANG: 'C.UTF-8', CI: '1', ...secrets }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  try {
    let stderr = '';
    child.stderr.setEncoding('utf8');
    for await (const piece of child.stderr) if (/serves \S+\n/.test((stderr += piece as string))) break;
    const [, url = ''] = /serves (\S+)/.exec(stderr) ?? [];
    const response = await fetch(`${url}/api/bash/execute_bash_command`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Session-API-Key': 'argument-key-0123456789' },
      body: JSON.stringify({ command: `${command}; echo "done in $PPID of ${child.pid}"` }),
    });
    return await response.text();
  } finally {
    child.kill();
    await exited;
  }
}

test('a command of a server finds no key in the environment, the process and its arguments', async () => {
  const output = await outputOfServedCommand(print);
  expect(output).toMatch(/serve --port 0.*done in (\d+) of \1/);
  for (const name of Object.keys(secrets)) expect(output).not.toContain(name);
  // What is masked was found.
  for (const value of ['0123456789', '$(date)', 'word@db', 'xxxxxxxx', 'secret-hidden']) {
    expect(output).not.toContain(value);
  }
});

test('a command gets the variables that --env names, byte for byte', async () => {
  const output = await outputOfCommand(`printf %s "$PGPASSWORD" | od -An -tx1 | tr -d ' \\n'; echo "|$DATABASE_URL"`, {
    env: secrets,
    args: ['--env', 'PGPASSWORD', '--env', 'DATABASE_URL'],
  });
  expect(output).toContain(`${Buffer.from(secrets.PGPASSWORD).toString('hex')}|${secrets.DATABASE_URL}`);
});

test.for([
  ['a large environment', { LARGE: 'y'.repeat(100_000) }],
  ['a variable of its own that is not from varve', { VARVE_PRIVATE_ENVIRONMENT: '9' }],
  ['no private variables', {}],
] as const)('the command starts with %s', async ([, env]) => {
  expect(await outputOfCommand('echo "ran ${#LARGE}"', { env })).toContain('ran 0');
});
