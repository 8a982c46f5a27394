import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openStore } from '@varve/storage';
import { appMain } from '../../../../tests/app-main.ts';
import { schemesOf } from '../home/schemes.ts';
import { runProgram } from './program.ts';
import { processEnvironment } from '../../test/process-environment.ts';
import { newHome, runVarve } from '../../test/run-varve.ts';

const main = appMain('cli');

/** Starts `varve serve` with an empty home and collects its stderr. */
async function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const child = spawn(process.execPath, [main, 'serve', ...args], {
    env: processEnvironment(home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return { child, exit, stderr: () => stderr, [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

/** Resolves to the address, and the key if one was printed. */
async function started({ child, stderr }: Awaited<ReturnType<typeof serve>>) {
  while (!/serves \S+\n/.test(stderr())) await once(child.stderr, 'data');
  const url = /serves (\S+)/.exec(stderr())?.[1] ?? '';
  return { url, key: /X-Session-API-Key: (\S+)/.exec(stderr())?.[1] };
}

test.for(['SIGTERM', 'SIGINT'] as const)(
  'serves on a free port with a new key until %s, and ends well',
  async (signal) => {
    const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
    const id = '0123456789abcdef0123456789abcdef';
    const url = `sqlite:${join(home, 'logs.db')}`;
    await using store = await openStore(url, schemesOf({}));
    await using log = await store.create(id, { title: 'Kept', workspace: '/tmp' });
    using running = await serve(['--port', '0', '--store', url]);
    const { url: address, key } = await started(running);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(key).toMatch(/^[\w-]{43}$/);
    const asked = `${address}/api/conversations/${log.id}`;
    expect((await fetch(asked)).status).toBe(401);
    const answer = await fetch(asked, { headers: { 'X-Session-API-Key': key ?? '' } });
    expect(await answer.json()).toMatchObject({ title: 'Kept', id: '01234567-89ab-cdef-0123-456789abcdef' });
    running.child.kill(signal);
    expect(await running.exit).toBe(0);
    const output = running.stderr();
    expect(output.split(key ?? ' ')).toHaveLength(2);
    expect(output).toContain('"status":401');
  },
);

test('a configured key is not printed', async () => {
  const env = { VARVE_SESSION_API_KEY: 'chosen-by-me' };
  using running = await serve(['--port', '0', '--store', 'memory:', '--log-level', 'silent'], env);
  const { url, key } = await started(running);
  expect(key).toBeUndefined();
  const answer = await fetch(`${url}/api/conversations/count`, { headers: { 'X-Session-API-Key': 'chosen-by-me' } });
  expect(await answer.text()).toBe('0');
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
  expect(running.stderr()).not.toContain('chosen-by-me');
});

test('a data directory that cannot be written to does not keep a server from starting', async () => {
  const home = await newHome();
  await writeFile(join(home, 'servers'), '');
  const env = { VARVE_HOME: home, VARVE_SESSION_API_KEY: 'chosen-by-me' };
  using running = await serve(['--port', '0', '--store', 'memory:', '--log-level', 'silent'], env);
  const { url } = await started(running);
  expect((await fetch(`${url}/alive`)).status).toBe(200);
  expect(running.stderr()).toMatch(/servers\S+ cannot be written/);
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
});

test('the settings are printed with their places, the key is not', async () => {
  const home = await newHome();
  await mkdir(join(home, '.varve'));
  await writeFile(join(home, '.varve', 'config.json'), '{"server":{"port":9001,"max_runs":3}}');
  const env = { VARVE_SERVER_PORT: '9002', VARVE_SESSION_API_KEY: 'chosen-by-me' };
  const args = ['serve', '--print-config', '--allow-host', 'a.example', '--allow-host', 'b.example', '--open-metrics'];
  const { code, stdout, stderr } = await runVarve(args, { home, env });
  expect([code, stderr]).toEqual([0, '']);
  const rows = Object.fromEntries(
    stdout.split('\n').map((line) => {
      const [key = '', value = '', ...place] = line.split(/ +/);
      return [key, `${value} ${place.join(' ')}`];
    }),
  );
  expect(rows).toMatchObject({
    'server.host': '127.0.0.1 default',
    'server.port': '9002 VARVE_SERVER_PORT',
    'server.max_runs': expect.stringMatching(/^3 .*config\.json/),
    'server.allowed_hosts': '["a.example","b.example"] --allow-host',
    'server.open_metrics': 'true --open-metrics',
  });
  expect(stdout).toContain('The key is that of VARVE_SESSION_API_KEY.');
  expect(stdout).not.toContain('chosen-by-me');
});

test.for<readonly [string, readonly string[], string]>([
  ['a public host', ['--host', '0.0.0.0'], '--key'],
  ['a key that a header cannot contain', ['--key', 'two words'], 'header'],
  ['an invalid origin', ['--allow-origin', '*'], '"*"'],
  ['a host that is not of this machine', ['--host', '203.0.113.1', '--key', 'k'], '203.0.113.1'],
  ['an invalid port', ['--port', '65536'], '65535'],
])('%s is a usage error', async ([, args, named]) => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const io = { env: {}, cwd: '/', stdin, stdout, stderr };
  expect(await runProgram(['serve', '--store', 'memory:', '--port', '0', ...args], io)).toBe(2);
  expect(String(stderr.read())).toContain(named);
});

test('on a terminal the address comes with the command that has a page, and requests are readable lines', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let output = '';
  const { promise: address, resolve: announce } = Promise.withResolvers<string>();
  const { promise: requested, resolve: request } = Promise.withResolvers<void>();
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const url = /serves (http:\S+)/.exec(output)?.[1];
    if (url !== undefined) announce(url);
    if (output.includes('GET /api/')) request();
  });
  const terminal = Object.assign(stderr, { isTTY: true, columns: 80 });
  const io = { env: { HOME: await newHome(), NO_COLOR: '1' }, cwd: '/', stdin, stdout, stderr: terminal };
  const code = runProgram(['serve', '--store', 'memory:', '--port', '0'], io);
  await fetch(`${await address}/api/conversations/count`);
  await requested;
  process.emit('SIGTERM');
  expect(await code).toBe(0);
  expect(output).toContain('serve --ui` has a page.');
  expect(output).toMatch(/^\d\d:\d\d:\d\d GET \/api\/conversations\/count 401 [\d.]+ ms$/m);
  expect(output).not.toContain('"level"');
});
