import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '@varve/events';
import { openStore } from '@varve/storage';
import { schemesOf } from '../src/home/schemes.ts';
import { newHome, runVarve } from './run-varve.ts';

/** Creates conversations with these ids in a store. */
async function fill(url: string, ids: readonly string[], meta: Json = {}): Promise<void> {
  await using store = await openStore(url, schemesOf({}));
  for (const id of ids) {
    await using log = await store.create(id, meta);
    await log.append([{ id: `e-${id}`, kind: 'X', parentId: undefined, text: '{"kind":"X"}' }]);
  }
}

const reading = [
  ['ls'],
  ['show', 'abcd'],
  ['show', 'abcd', '--json'],
  ['verify', 'abcd'],
  ['repair', 'abcd'],
  ['run', '--resume', 'abcd', 'Go on.', '--base-url', 'http://127.0.0.1:9', '--model', 'm'],
  ['export', 'abcd', 'out.varve'],
] as const;
const missing = ['sqlite:typo.db', 'dir:typo', 'sqlite:~/no/typo.db', 'dir:~/no/typo'];

test.for(reading.flatMap((args) => missing.map((url) => [args, url] as const)))(
  '%j creates no store, and reports that %s is missing',
  async ([args, url]) => {
    const home = await newHome();
    for (const result of [
      await runVarve([...args, '--store', url], { home }),
      await runVarve(args, { home, env: { VARVE_STORE: url } }),
    ]) {
      expect(result).toMatchObject({ code: 4, stdout: '' });
      expect(result.stderr).toMatch(/^varve: There is no store (?:sqlite|dir):\/.*typo/);
    }
    expect(await readdir(home)).toEqual([]);
  },
);

const others = [
  ['dir:file', 'is not a directory.'],
  ['sqlite:directory', 'is a directory, not a database.'],
  ['sqlite:file', 'is not a SQLite database.'],
] as const;

test.for(reading.flatMap((args) => others.map((other) => [args, ...other] as const)))(
  '%j reports that %s %s',
  async ([args, url, problem]) => {
    const home = await newHome();
    await mkdir(join(home, 'directory'));
    await writeFile(join(home, 'file'), 'Not a store.');
    const result = await runVarve([...args, '--store', url], { home });
    expect(result).toMatchObject({ code: 4, stdout: '' });
    expect(result.stderr).toContain(`${join(home, url.split(':')[1] ?? '')} ${problem}`);
    expect((await readdir(home)).toSorted()).toEqual(['directory', 'file']);
  },
);

test.for(reading)('%j on the default store creates nothing before the first run', async (...[args]) => {
  const home = await newHome();
  const { code } = await runVarve(args, { home });
  expect(code).toBe(args.length === 1 ? 0 : 5);
  expect(await readdir(home)).toEqual([]);
});

const model = ['--base-url', 'http://127.0.0.1:9', '--model', 'm'];

test.for([
  ['run', 'x'],
  ['run', 'x', '--model', 'nobody/x'],
  ['run', 'x', '--base-url', 'http://127.0.0.1:9'],
  ['run', 'x', '--workspace', 'nowhere', ...model],
  ['run', 'x', '--sign', ...model],
  ['run', 'x', '--max-steps', '0', ...model],
])('%j cannot start, and creates nothing', async (args) => {
  const home = await newHome();
  expect((await runVarve(args, { home })).code).toBe(2);
  expect((await runVarve([...args, '--store', 'dir:store'], { home })).code).toBe(2);
  expect(await readdir(home)).toEqual([]);
});

test('an empty file is not a store, and stays empty', async () => {
  const home = await newHome();
  await writeFile(join(home, 'empty.db'), '');
  expect((await runVarve(['ls', '--store', 'sqlite:empty.db'], { home })).code).toBe(4);
  expect(await readdir(home)).toEqual(['empty.db']);
});

test.for(['sqlite:', 'dir:'])('~ in a URL with %s is the home directory', async (scheme) => {
  const home = await newHome();
  const id = 'a'.repeat(32);
  await fill(`${scheme}${join(home, 'logs')}`, [id]);
  expect((await runVarve(['ls', '--store', `${scheme}~/logs`], { home })).stdout).toContain(id);
  expect((await runVarve(['ls', '--store', `${scheme}logs`], { home })).stdout).toContain(id);
  await fill(`sqlite:${join(home, 'home', 'varve.db')}`, ['b'.repeat(32)]);
  expect((await runVarve(['ls'], { home, env: { VARVE_HOME: '~/home' } })).stdout).toContain('b'.repeat(32));
});

test.runIf(existsSync('/proc/self'))('a data directory or store below /proc is an error', async () => {
  const home = await newHome();
  const file = join(home, 'x');
  await writeFile(file, '');
  for (const [url, env] of [
    [[], { VARVE_HOME: '/proc/varve' }],
    [['--store', 'dir:/proc/varve/x'], {}],
    [['--store', 'sqlite:/proc/varve/x/y.db'], {}],
    [['--store', `dir:${home}/logs`], { VARVE_HOME: '/proc/varve/x' }],
  ] as const) {
    const { code, stderr } = await runVarve(['run', 'x', '--base-url', 'http://127.0.0.1:9', '--model', 'm', ...url], {
      home,
      env,
    });
    expect([code, stderr]).toEqual([4, expect.stringContaining('/proc/varve')]);
  }
});

const ids = ['5f0000', '5f1111', 'a1', 'B2'];

test.for<readonly [typed: string, code: number, shown: string]>([
  ['5f0000', 0, '5f0000'],
  ['5f0', 0, '5f0000'],
  ['a', 0, 'a1'],
  ['B', 0, 'B2'],
  ['b', 5, 'No conversation matches "b".'],
  ['5f00000', 5, 'No conversation matches "5f00000".'],
  ['', 5, 'No conversation matches "".'],
  ['not an id', 5, 'No conversation matches "not an id".'],
  ['5f', 2, '"5f" matches 2 conversations: 5f1111, 5f0000.'],
  ['5', 2, '"5" matches 2 conversations: 5f1111, 5f0000.'],
])('the short id %j is resolved or reported', async ([typed, code, message]) => {
  const home = await newHome();
  await fill(`sqlite:${join(home, '.varve', 'varve.db')}`, ids);
  const result = await runVarve(['show', typed], { home });
  expect(result.code).toBe(code);
  expect(result.stdout + result.stderr).toContain(message);
});

test('ls and show survive any meta', async () => {
  const widths = fc.constantFrom(undefined, 50, 200);
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), widths, async (any, title, agent, columns) => {
      const home = await newHome();
      const url = `sqlite:${join(home, 'varve.db')}`;
      await fill(url, ['c1'], any);
      await fill(url, ['c2'], { title, status: title, workspace: title, agent });
      await fill(url, ['c3'], { title: 'Kept', agent: { llm: agent, model: { model: agent } } });
      const surroundings = { home, ...(columns !== undefined && { columns }) };
      const listed = await runVarve(['ls', '--store', url], surroundings);
      expect([listed.code, listed.stdout.trimEnd().split('\n').length, listed.stderr]).toEqual([0, 3, '']);
      expect(listed.stdout).toContain('Kept');
      expect((await runVarve(['show', 'c2', '--store', url], surroundings)).code).toBe(0);
    }),
    { numRuns: 15 },
  );
});

test.for([40, 50, 60, 80, 100, 120, 200])(
  'at %i columns ls shows id, age, status and title on one line',
  async (columns) => {
    const home = await newHome();
    const url = `sqlite:${join(home, 'varve.db')}`;
    const meta = { title: 'Fix the failing test of the parser 漢字漢字漢字漢字', status: 'waiting_for_confirmation' };
    await fill(url, ['0123456789abcdef'], {
      ...meta,
      workspace: join(home, 'project'),
      agent: { llm: { model: 'gpt-5.1' } },
    });
    const { stdout } = await runVarve(['ls', '--store', url], { home, columns });
    expect(stdout).toMatch(/^01234567 {2}(?:just now|\d+ min ago) {2}waiting {2}.*F/);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stdout.trimEnd().length).toBeLessThan(columns);
    expect(stdout.includes('gpt-5.1')).toBe(columns >= 80);
    expect(stdout.includes('~/project')).toBe(columns >= 100);
  },
);

test('more conversations than shown are reported with their number', async () => {
  const home = await newHome();
  const url = `sqlite:${join(home, 'varve.db')}`;
  await fill(url, ['a', 'b', 'c']);
  expect((await runVarve(['ls', '-n', '2', '--store', url], { home })).stderr).toBe('Showing 2; use -n for more.\n');
});

test('a conversation is imported from standard input, and both commands report what they did', async () => {
  const home = await newHome();
  const id = 'c'.repeat(32);
  await fill(`sqlite:${join(home, '.varve', 'varve.db')}`, [id]);
  const exported = await runVarve(['export', 'cc', '-'], { home });
  expect(exported.stderr).toBe(`Exported ${id} to standard output: 1 event.\n`);
  const other = ['--store', 'sqlite:other.db'];
  const imported = await runVarve(['import', '-', ...other], { home, stdin: exported.stdout });
  expect(imported).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(imported.stderr).toContain('Imported standard input: 1 event');
  expect((await runVarve(['export', 'cc', 'file.varve'], { home })).stderr).toContain('to file.varve: 1 event');
  const again = await runVarve(['import', 'file.varve', '--store', 'dir:third'], { home });
  expect(again.stderr).toContain('Imported file.varve: 1 event');
});

test.for<readonly [name: string, code: number, shown: string]>([
  ['folder', 2, 'The format of folder is not known.'],
  ['nothing', 2, 'nothing cannot be read: it does not exist.'],
  ['nothing/below', 2, 'it does not exist'],
  ['other', 2, 'The format of other is not known.'],
  ['empty', 4, 'This is not a varve bundle.'],
  ['half', 4, 'The bundle is truncated.'],
])('importing %s is a clear error', async ([name, code, message]) => {
  const home = await newHome();
  const id = 'd'.repeat(32);
  await fill(`sqlite:${join(home, '.varve', 'varve.db')}`, [id]);
  const { stdout } = await runVarve(['export', id, '-'], { home });
  await mkdir(join(home, 'folder'));
  await writeFile(join(home, 'other'), '# notes\n');
  await writeFile(join(home, 'empty'), '');
  await writeFile(join(home, 'half'), stdout.split('\n').slice(0, 2).join('\n'));
  const result = await runVarve(['import', name, '--store', 'sqlite:other.db'], { home });
  expect([result.code, result.stdout, result.stderr]).toEqual([code, '', expect.stringContaining(message)]);
});

test.for(['run --resume abcd Go.', 'condense abcd'])(
  'a workspace that no file system can store is no bug of %j',
  async (args) => {
    const home = await newHome();
    await fill(`sqlite:${join(home, 'a.db')}`, ['abcd'], { workspace: '/a\0b' });
    const server = ['--base-url', 'http://127.0.0.1:9', '--model', 'm'];
    const { code, stderr } = await runVarve([...args.split(' '), ...server, '--store', 'sqlite:a.db'], { home });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^varve: The workspace .* is not a directory\.\n$/)]);
  },
);
