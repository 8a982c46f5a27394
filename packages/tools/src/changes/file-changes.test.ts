import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileChanges } from './file-changes.ts';

/** Opens a directory with these files, each with its name as content. */
async function opened(names: readonly string[], { git = false, marked = [] as readonly string[] } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'changes-'));
  const write = (name: string, content = name): void => {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), content);
  };
  for (const name of names) write(name);
  const run = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  if (git) {
    run('init');
    run('add', '.');
  }
  for (const name of marked) {
    run('update-index', `--${name}`, name);
    write(name, name.toUpperCase());
  }
  const changes = await FileChanges.open(root, { maxBytes: 100, maxFiles: 50 });
  if (!changes) throw new Error('There are too many files.');
  onTestFinished(async () => {
    await changes.close();
    rmSync(root, { recursive: true });
  });
  const look = async (options: { readonly walks?: boolean } = {}) =>
    (await changes.changes(() => false, options))
      .map(({ path, found, after }) => {
        const text = (version: typeof found) => version && (version.omitted ?? version.bytes?.toString());
        return [path, text(found) ?? null, text(after) ?? null];
      })
      .toSorted(([left], [right]) => ((left ?? '') < (right ?? '') ? -1 : 1));
  return { root, changes, write, run, look, at: (name: string) => join(root, name) };
}

test('what changes a file after the reader of its acceptance is found', async () => {
  const { changes, write, look } = await opened(['a']);
  const accept = changes.acceptance('a');
  write('a', 'later');
  accept();
  expect(await look()).toEqual([['a', 'a', 'later']]);
});

test('a tracked file that was too large when it was found has no content', async () => {
  const { write, look } = await opened(['x'.repeat(101)], { git: true });
  write('x'.repeat(101), 'small');
  expect(await look()).toEqual([['x'.repeat(101), 'large', 'small']]);
});

test.for([{ git: false }, { git: true }])(
  'files that changed have their contents before and after: %o',
  async ({ git }) => {
    const { write, look, at } = await opened(['a', 'b', 'c/d', 'e/f/g'], { git });
    expect(await look()).toEqual([]);
    write('a', 'new');
    rmSync(at('b'));
    write('c/x/y/z', 'deep');
    renameSync(at('e'), at('moved'));
    symlinkSync('a', at('link'));
    expect(await look()).toEqual([
      ['a', 'a', 'new'],
      ['b', 'b', null],
      ['c/x/y/z', null, 'deep'],
      ['e/f/g', 'e/f/g', null],
      ['link', null, 'a'],
      ['moved/f/g', null, 'e/f/g'],
    ]);
    write('moved/f/g', '2');
    write('c/x/y/z2', '2');
    chmodSync(at('a'), 0o600);
    expect((await look()).map(([path]) => path)).toEqual(['a', 'c/x/y/z2', 'moved/f/g']);
    expect(await look()).toEqual([]);
  },
);

test('what watches do not report, a walk finds', async () => {
  const { write, look, at } = await opened(['a', 'b/c', 'd/e']);
  rmSync(at('b'), { recursive: true });
  write('b/c', 'new');
  rmSync(at('d'), { recursive: true });
  write('a', 'x');
  const found = [
    ['a', 'a', 'x'],
    ['b/c', 'b/c', 'new'],
    ['d/e', 'd/e', null],
  ];
  expect(await look({ walks: true })).toEqual(found);
  write('b/c', 'again');
  expect((await look()).map(([path]) => path)).toEqual(['b/c']);
});

test('nothing is read of .git, of ignored directories and through links; large files are named', async () => {
  const { root, write, run, look, at } = await opened(['.gitignore', 'a', 'out/b', 'node_modules/c', 'nested/.git/d']);
  run('init');
  write('.gitignore', 'dist/\n*.log\n');
  expect((await look()).map(([path]) => path)).toEqual(['.gitignore']);
  const { write: outside, root: other } = await opened(['secret']);
  write('node_modules/c', 'new');
  write('nested/.git/d', 'new');
  rmSync(at('out'), { recursive: true });
  symlinkSync(other, at('out'));
  outside('secret', 'new');
  write('a', 'x'.repeat(101));
  expect(await look()).toEqual([
    ['a', 'a', 'large'],
    ['out', null, other],
    ['out/b', 'out/b', null],
  ]);
  expect(readdirSync(join(root, '.git'))).not.toContain('index');
});

test('what git ignores is named without its content', async () => {
  const { write, look } = await opened(['a'], { git: true });
  const rules = 'dist/\n*.log\n';
  for (const name of ['dist/deep/b', 'c.log', ':(top)a']) write(name, '1');
  write('.gitignore', rules);
  const ignored = [
    ['.gitignore', null, rules],
    [':(top)a', null, '1'],
    ['c.log', null, 'ignored'],
    ['dist/', null, 'ignored'],
  ];
  expect(await look()).toEqual(ignored);
  write('c.log', '2');
  write('dist/deep/b', '2');
  expect(await look()).toEqual([['c.log', 'ignored', 'ignored']]);
});

test('a directory with too many files is not looked at', async () => {
  const { root } = await opened(['a', 'b/c', 'b/d']);
  expect(await FileChanges.open(root, { maxBytes: 100, maxFiles: 2 })).toBeUndefined();
});

test('a file that this process has open, such as a database, is not read, and excluded ones are not named', async () => {
  const { write, look, at, root } = await opened(['a', 'data/b']);
  const changes = await FileChanges.open(root, { maxBytes: 100, maxFiles: 50, excluded: [at('data')] });
  const file = openSync(at('a'), 'r');
  onTestFinished(async () => {
    closeSync(file);
    await changes?.close();
  });
  write('a', 'new');
  write('data/b', 'new');
  expect((await changes?.changes(() => false))?.map(({ path, after }) => [path, after?.omitted])).toEqual([
    ['a', 'special'],
  ]);
  expect((await look()).map(([path]) => path)).toEqual(['a', 'data/b']);
});

test('a file that git does not compare is found as it is on the disk', async () => {
  const marked = ['assume-unchanged', 'skip-worktree'];
  const { write, look } = await opened(marked, { git: true, marked });
  for (const name of marked) write(name, 'new');
  expect(await look()).toEqual([
    ['assume-unchanged', 'ASSUME-UNCHANGED', 'new'],
    ['skip-worktree', 'SKIP-WORKTREE', 'new'],
  ]);
});
