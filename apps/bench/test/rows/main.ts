import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtempDisposable } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { median } from '../../src/table.ts';
import { logOfSteps } from './log-of-steps.ts';

/**
 * Prints the rows that docs/benchmarks.md has of starts and long logs, medians in ms, on an idle machine after
 * `pnpm build`. `--other 'codex exec … {url}'` adds another command that sends a request to the URL of a model server;
 * `--varve FILE` measures another build of the command.
 */
const { values } = parseArgs({
  options: { varve: { type: 'string' }, other: { type: 'string', multiple: true }, runs: { type: 'string' } },
});
const here = fileURLToPath(new URL('.', import.meta.url));
const varve = values.varve ?? join(here, '../../../cli/dist/main.js');
const runs = Number(values.runs ?? 7);
const run = promisify(execFile);
await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-bench-'));
// Without proxies and certificates of the environment, and as after a first use: with a place for compiled code.
const env = { PATH: process.env['PATH'], HOME: directory.path };
await mkdir(join(directory.path, '.varve'));
const options = { cwd: directory.path, env, maxBuffer: 2 ** 30 };

await imports();
await starts();
await longLogs();

async function row(name: string, measure: () => Promise<number>, count = runs): Promise<void> {
  const times: number[] = [];
  if (count > 1) await measure();
  for (let each = 0; each < count; each += 1) times.push(await measure());
  console.log(`${name.padEnd(50)} ${median(times).toFixed(0).padStart(7)}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function command(...args: readonly string[]): Promise<number> {
  return timed(async () => run(process.execPath, [varve, ...args], options));
}

async function imports(): Promise<void> {
  const libraries = ['@varve/agent', '@varve/llm', '@varve/tools', '@varve/storage/sqlite'];
  for (const [name, modules] of [
    ['empty program', []],
    ['import varve', libraries],
    ['import ai', ['ai']],
  ] as const) {
    const code = modules.map((module) => `await import('${module}');`).join('');
    const args = ['--input-type=module', '-e', code];
    await row(name, async () => timed(async () => run(process.execPath, args, { ...options, cwd: here })));
  }
}

async function starts(): Promise<void> {
  await row('varve --help', async () => command('--help'));
  await row('varve ls', async () => command('ls'));
  const started = `run --base-url {url}/v1 --model m x`;
  const commands = [
    ['varve run', `${process.execPath} ${varve} ${started}`],
    [
      'from sources',
      `${process.execPath} --conditions=@varve/source ${join(here, '../../../cli/src/main.ts')} ${started}`,
    ],
    ...(values.other ?? []).map((line) => [basename(line.split(' ')[0] ?? ''), line]),
  ] as const;
  for (const [name = '', line = ''] of commands) await row(`first request: ${name}`, async () => firstRequest(line));
}

async function firstRequest(line: string): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [program = '', ...args] = line.split(' ').map((word) => word.replace('{url}', url));
  const requested = once(server, 'request');
  const start = performance.now();
  const child = spawn(program, args, { ...options, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await Promise.race([requested, ended.then(() => Promise.reject(new Error(`${line} ended without a request.`)))]);
  const time = performance.now() - start;
  // An end that it may prepare: compiled code is written then.
  child.kill();
  await ended;
  server.closeAllConnections();
  server.close();
  return time;
}

async function longLogs(): Promise<void> {
  for (const [name, steps, hasBranches] of [
    ['10,000', 2500, false],
    ['100,000 with branches', 25_000, true],
    ['100,000', 25_000, false],
  ] as const) {
    const made = join(directory.path, name);
    const id = await logOfSteps(made, steps, hasBranches);
    const open = async (dir: string, what: 'open' | 'request'): Promise<number> => {
      const { stdout } = await run(process.execPath, [join(here, 'open-log.ts'), dir, id], options);
      return (JSON.parse(stdout) as Record<'open' | 'request', number>)[what];
    };
    const opened = `${made} opened`;
    const fresh = async (): Promise<void> => cp(made, opened, { recursive: true, force: true });
    await row(`${name}: open without a snapshot`, async () => fresh().then(async () => open(opened, 'open')), 3);
    await row(`${name}: open`, async () => open(opened, 'open'), 5);
    await row(`${name}: open to request`, async () => open(opened, 'request'), 5);
    if (name === '100,000') await commandsOf(made, id);
  }
}

async function commandsOf(dir: string, id: string): Promise<void> {
  const store = `sqlite:${join(dir, 'bench.db')}`;
  for (const what of ['show', 'verify'])
    await row(`100,000: ${what}`, async () => command(what, id, '--store', store), 3);
  for (const when of ['first server', 'later server']) {
    const child = spawn(process.execPath, [varve, 'serve', '--port', '0', '--key', 'k', '--store', store], options);
    const [line] = (await once(child.stderr, 'data')) as [Buffer];
    const url = /http:\S+/.exec(line.toString())?.[0] ?? '';
    const get = async (path: string): Promise<unknown> =>
      (await fetch(new URL(path, url), { headers: { 'x-session-api-key': 'k' } })).text();
    await row(`100,000: first search, ${when}`, async () => timed(async () => get('/api/conversations/search')), 1);
    await row(
      `100,000: count, ${when}`,
      async () => timed(async () => get(`/api/conversations/${id}/events/count`)),
      1,
    );
    child.kill();
    await once(child, 'exit');
  }
}
