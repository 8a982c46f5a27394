import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { expect } from 'vitest';
import { readState } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { foldEvents, statusProjection } from '@varve/events/projections';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { openStore } from '@varve/storage';
import { appMain } from '../../../tests/app-main.ts';
import { schemesOf } from '../src/home/schemes.ts';
import { processEnvironment } from './process-environment.ts';

const main = appMain('cli');
const require = createRequire(import.meta.url);
const tape = dirname(require.resolve('tape/package.json'));
const right = 'argv._.push.apply(argv._, args.slice(i + 1));';
const wrong = 'argv._.push.apply(argv._, args.slice(i));';

/** A copy of the published minimist with one bug. */
async function brokenPackage(): Promise<string> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve e2e ')));
  await cp(await realpath(dirname(require.resolve('minimist/package.json'))), workspace, { recursive: true });
  await mkdir(join(workspace, 'node_modules'), { recursive: true });
  await symlink(await realpath(tape), join(workspace, 'node_modules', 'tape'));
  const index = join(workspace, 'index.js');
  const source = await readFile(index, 'utf8');
  expect(source).toContain(right);
  await writeFile(index, source.replace(right, wrong));
  return workspace;
}

function passes(workspace: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['node_modules/tape/bin/tape', 'test/*.js'], { cwd: workspace }, (error) =>
      resolve(!error),
    );
  });
}

const runTests = { name: 'terminal', arguments: { command: "node node_modules/tape/bin/tape 'test/*.js' | tail -40" } };

function repair(workspace: string): readonly ScriptedTurn[] {
  const path = join(workspace, 'index.js');
  return [
    { text: 'First the tests.', calls: [runTests] },
    { calls: [{ name: 'terminal', arguments: { command: "grep -n 'stopEarly' -A 3 index.js; X=kept" } }] },
    { calls: [{ name: 'file_editor', arguments: { command: 'str_replace', path, old_str: wrong, new_str: right } }] },
    { calls: [runTests] },
    { calls: [{ name: 'terminal', arguments: { command: 'echo "the variable is $X"' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'stopEarly kept the argument it stopped at twice. Fixed.' } }] },
  ];
}

/** Runs the command as a process of its own. */
export async function varve(args: readonly string[], home: string, stdin = '') {
  const child = spawn(process.execPath, [main, ...args], {
    env: processEnvironment(home, { CI: '1' }),
    stdio: 'pipe',
  });
  child.stdin.end(stdin);
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code: child.exitCode };
}

/** Checks that the command repairs a real package, with a log in a kind of store and a transport of tool calls. */
export async function checkRepair(scheme: string, way: 'native' | 'mock'): Promise<void> {
  const workspace = await brokenPackage();
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const url = scheme === 'memory:' ? scheme : `${scheme}${join(home, 'logs', 'e2e')}`;
  expect(await passes(workspace)).toBe(false);
  await using server = await scriptedServer(repair(workspace), { prompted: way === 'mock' });
  const options = [
    '--function-calling',
    way,
    '--base-url',
    server.url,
    '--model',
    'scripted',
    '--workspace',
    workspace,
    '--store',
    url,
  ];
  const { stdout, stderr, code } = await varve(['run', ...options, '--json', 'Fix the package.'], home);
  expect(stderr).toContain('conversation ');
  expect(code).toBe(0);
  server.assertDone();
  expect(await readFile(join(workspace, 'index.js'), 'utf8')).toContain(right);
  expect(await passes(workspace)).toBe(true);

  const lines = stdout.trim().split('\n');
  const codec = eventCodec(builtinKinds);
  const events = lines.map((line) => codec.decode(line));
  expect(foldEvents(statusProjection, events).execution).toBe('finished');
  expect(stdout).toContain('the variable is kept');
  expect(lines.filter((line) => line.includes('"key":"varve.call"'))).toHaveLength(6);
  if (scheme !== 'memory:') await checkStored(url, lines, home);
}

async function checkStored(url: string, lines: readonly string[], home: string): Promise<void> {
  await using store = await openStore(url, schemesOf({}));
  const { items } = await store.list();
  expect(items).toHaveLength(1);
  const id = items[0]?.id ?? '';
  const log = await store.read(id);
  const stored = await Array.fromAsync(log.range(0));
  expect(stored.map(({ text }) => text)).toEqual(lines);
  for (let prefix = 0; prefix <= lines.length; prefix++) {
    expect((await readState(log, { to: prefix })).head).toBe(prefix);
  }
  const printed = await varve(['show', id, '--json', '--store', url], home);
  expect(printed.stdout.trim().split('\n')).toEqual(lines);
  const listed = await varve(['ls', '--store', url], home);
  expect(listed.stdout).toContain(`${id}  `);
  expect(listed.stdout).toContain('finished');
}
