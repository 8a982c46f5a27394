import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDirectory } from './foreign/export-foreign.ts';
import { writeNewFile } from './write-new-file.ts';

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'varve-new-'));

test('a new file is readable to its owner, and never replaces another', async () => {
  const path = join(await newDirectory(), 'file');
  await writeNewFile(path, ['a', 'b']);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(writeNewFile(path, ['c'])).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(path, 'utf8')).toBe('ab');
});

test('a file whose text ends with an error is removed', async () => {
  const path = join(await newDirectory(), 'file');
  const error = new Error('no more');
  function* text() {
    yield 'a';
    throw error;
  }
  await expect(writeNewFile(path, text())).rejects.toBe(error);
  expect(existsSync(path)).toBe(false);
});

test.runIf(process.platform !== 'win32')('a file that the disk rejects is removed', async () => {
  const path = join(await newDirectory(), 'file');
  const source = `
    import { writeNewFile } from ${JSON.stringify(new URL('write-new-file.ts', import.meta.url).href)};
    await writeNewFile(${JSON.stringify(path)}, ['x'.repeat(10_000)]).catch((error) => console.log(error.code));`;
  const node = [process.execPath, '--input-type=module', '--eval', source];
  // One block is written, and then the write fails.
  expect(execFileSync('sh', ['-c', 'ulimit -f 1 && exec "$0" "$@"', ...node], { encoding: 'utf8' })).toBe('EFBIG\n');
  expect(existsSync(path)).toBe(false);
});

test('a file or directory has its name only when it is complete, also after a kill', async () => {
  const parent = await newDirectory();
  function* text() {
    yield 'a';
    expect(existsSync(join(parent, 'file'))).toBe(false);
    yield 'b';
  }
  await writeNewFile(join(parent, 'file'), text());
  expect(await readdir(parent)).toEqual(['file']);
  const urls = ['write-new-file.ts', 'foreign/export-foreign.ts'].map((name) => new URL(name, import.meta.url).href);
  const source = `
    import { writeNewFile } from ${JSON.stringify(urls[0])};
    import { writeDirectory } from ${JSON.stringify(urls[1])};
    function* killed() { yield 'x'.repeat(100_000); process.kill(process.pid, 'SIGKILL'); yield 'y'; }
    const files = [{ path: 'a', text: 'a' }, { path: 'b', get text() { return process.kill(process.pid, 'SIGKILL'); } }];
    if (process.argv[1] === 'file') await writeNewFile('killed', killed());
    else await writeDirectory(files, 'killed');`;
  for (const kind of ['file', 'directory']) {
    const args = ['--conditions=@varve/source', '--input-type=module', '--eval', source, kind];
    expect(spawnSync(process.execPath, args, { cwd: parent, encoding: 'utf8' })).toMatchObject({ signal: 'SIGKILL' });
    expect(existsSync(join(parent, 'killed'))).toBe(false);
  }
});

test('what appears at the name while a file is written stays, and the longest name can be used', async () => {
  const parent = await newDirectory();
  const [path, other] = [join(parent, 'n'.repeat(255)), join(parent, 'other')];
  await writeNewFile(path, ['a']);
  await writeFile(other, 'mine');
  for (const make of [link, symlink, async (_: string, to: string) => mkdir(to)]) {
    const taken = join(parent, make.name || 'directory');
    async function* text() {
      yield 'a';
      await make(other, taken);
    }
    await expect(writeNewFile(taken, text())).rejects.toMatchObject({ code: 'EEXIST' });
  }
  await symlink('nothing', join(parent, 'dangling'));
  await expect(writeNewFile(join(parent, 'dangling'), ['a'])).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(other, 'utf8')).toBe('mine');
  expect((await readdir(parent)).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a directory is removed when one of its files cannot be written, and an existing one is kept', async () => {
  const parent = await newDirectory();
  const files = ['a', 'b/c', 'a'].map((path) => ({ path, text: path }));
  await expect(writeDirectory(files, join(parent, 'new'))).rejects.toMatchObject({ code: 'EEXIST' });
  await mkdir(join(parent, 'old'));
  await expect(writeDirectory(files, join(parent, 'old'))).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readdir(parent)).toEqual(['old']);
});
