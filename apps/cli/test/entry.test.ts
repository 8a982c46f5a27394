import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { appMain } from '../../../tests/app-main.ts';
import { newHome, runVarve } from './run-varve.ts';
import { processEnvironment } from './process-environment.ts';

const main = appMain('cli');
const sources = join(import.meta.dirname, '../src');

/** Runs the command as a process of its own in a directory that a shell removed. */
async function inRemovedDirectory(args: readonly string[], home: string) {
  const directory = join(home, 'removed');
  await mkdir(directory);
  const child = spawn('sh', ['-c', 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, main, ...args], {
    cwd: directory,
    env: processEnvironment(home),
    stdio: 'pipe',
  });
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, stdout, stderr };
}

test.for<readonly [args: readonly string[], code: number, shown: string]>([
  [['--version'], 0, '0.'],
  [['--help'], 0, 'Usage: varve'],
  [['run', '--help'], 0, 'Usage: varve run'],
  [['ls'], 0, 'There are no conversations yet'],
  [['show', 'abc'], 5, 'No conversation matches "abc".'],
  [['ls', '--store', 'sqlite:x.db'], 2, 'varve: The current directory was removed.'],
  [['import', 'x.varve'], 2, 'varve: The current directory was removed.'],
  [['run', 'x', '--base-url', 'http://127.0.0.1:9', '--model', 'm'], 2, 'varve: The current directory was removed.'],
])('in a removed directory, %j ends as documented', async ([args, code, message]) => {
  const result = await inRemovedDirectory(args, await newHome());
  expect(result.stdout + result.stderr).toContain(message);
  expect(result.stderr).not.toContain('uv_cwd');
  expect(result.code).toBe(code);
});

test('a Node that is too old is named in one sentence, before anything is imported, and the version is printed', async () => {
  // The entry is loaded with the version of another Node; an import of the program would need its packages.
  const copy = join(await newHome(), 'src');
  await mkdir(join(copy, 'home'), { recursive: true });
  for (const name of ['main.ts', 'home/app-file.ts'])
    await writeFile(join(copy, name), await readFile(join(sources, name), 'utf8'));
  const manifest = { version: '1.2.3', type: 'module', engines: { node: '>=24' } };
  await writeFile(join(copy, '../package.json'), JSON.stringify(manifest));
  const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`;
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, ['--import', old, join(copy, 'main.ts'), ...args]).catch(
      (error: unknown) => error,
    );
  expect(await run('ls')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'varve: Node 24 or newer is needed, and this is Node 20.20.2.\n',
  });
  expect(await run('--version')).toMatchObject({ stdout: '1.2.3\n', stderr: '' });
});

// Node's own directory of compiled code would be created there for ever.
test.runIf(existsSync('/proc/self'))('a data directory that cannot be created is one line', async () => {
  const home = await newHome();
  const { NODE_COMPILE_CACHE: _shared, ...env } = processEnvironment(home);
  const args = ['run', 'x', '--base-url', 'http://127.0.0.1:9', '--model', 'm'];
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...env, VARVE_HOME: '/proc/varve' },
    stdio: 'pipe',
    timeout: 20_000,
  });
  child.stdin.end();
  const [stderr] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  expect([child.exitCode, stderr]).toEqual([4, expect.stringMatching(/^varve: .*\/proc\/varve.*\n.*VARVE_HOME\.\n$/)]);
});

test.for([['--help'], ['verify', '--help'], ['import', '--help'], ['run', '--help'], ['nonsense']])(
  '%j loads neither the agent nor what it is made of',
  async (args) => {
    const hook = `
      import { registerHooks } from 'node:module';
      const loaded = new Set();
      registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context); } });
      process.on('exit', () => console.error('LOADED', [...loaded].join(' ')));`;
    const all = ['--conditions=@varve/source', '--import', `data:text/javascript,${encodeURIComponent(hook)}`];
    const child = spawn(process.execPath, [...all, join(sources, 'main.ts'), ...args], {
      env: processEnvironment(await newHome()),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const loaded = (await readAll(child.stderr)).split('LOADED')[1] ?? '';
    expect(loaded).toContain('/apps/cli/src/commands/');
    expect(loaded).not.toMatch(/\/packages\/(?:agent|llm|tools|condensers)\//);
  },
);

test('a new key signs a run, which verify trusts', async () => {
  const home = await newHome();
  const created = await runVarve(['key'], { home });
  const file = join(home, '.varve', 'signing-key.pem');
  expect(created).toMatchObject({ code: 0, stderr: `Created ${file}.\n` });
  expect(created.stdout).toMatch(/^did:key:z6Mk\w+\n$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await runVarve(['key', 'show'], { home })).stdout).toBe(created.stdout);
  await using server = await scriptedServer([{ text: 'Done.' }]);
  const run = await runVarve(['run', 'x', '--sign', '--base-url', server.url, '--model', 'm'], { home });
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
  const id = /conversation (\w+)/.exec(run.stderr)?.[1] ?? '';
  const trusted = await runVarve(['verify', id, '--json', '--trust', created.stdout.trim()], { home });
  expect(trusted.code).toBe(0);
  const { head, vouched } = JSON.parse(trusted.stdout) as { readonly head: number; readonly vouched: number };
  expect(vouched).toBe(head);
});

test('an existing key is not replaced', async () => {
  const home = await newHome();
  const { stdout } = await runVarve(['key'], { home });
  const again = await runVarve(['key'], { home });
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toContain('it exists already');
  expect((await runVarve(['key', 'show'], { home })).stdout).toBe(stdout);
});

test.for<readonly [what: string, make: (file: string) => Promise<void>, shown: string]>([
  ['missing', async () => {}, '`varve key` creates a signing key.'],
  ['readable by the group', (file) => chmod(file, 0o640), 'Other users can access'],
  ['readable by all', (file) => chmod(file, 0o604), 'Other users can access'],
  ['not a key', (file) => writeFile(file, 'secret text'), 'not an Ed25519 private key'],
])('a key that is %s signs nothing', async ([what, make, message]) => {
  const home = await newHome();
  const file = join(home, 'my-key.pem');
  const env = { VARVE_SIGNING_KEY: file };
  if (what !== 'missing') await runVarve(['key'], { home, env });
  await make(file);
  for (const args of [
    ['key', 'show'],
    ['run', 'x', '--sign', '--base-url', 'http://127.0.0.1:9', '--model', 'm'],
  ]) {
    const { code, stderr, stdout } = await runVarve(args, { home, env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/secret|sqlite:/);
  }
});

test('what a library prints reaches standard output never, and standard error as safe lines', async () => {
  const home = await newHome();
  const library = String.raw`process.on('exit', () => {
    for (const method of ['log', 'info', 'debug', 'warn', 'error']) console[method](method + '\u001b]52;c;cm0=\u0007\u009b2J\nvarve: forged');
  })`;
  const preload = `data:text/javascript,${encodeURIComponent(library)}`;
  const args = ['--import', preload, main, 'ls', '--json'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: processEnvironment(home) });
  expect(stdout).toBe('');
  const lines = stderr.split('\n').filter((line) => line.includes('forged'));
  expect(lines).toEqual(['warning: warn varve: forged', 'warning: error varve: forged']);
});
