import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
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

test('a directory is removed when one of its files cannot be written, and an existing one is kept', async () => {
  const parent = await newDirectory();
  const files = ['a', 'b/c', 'a'].map((path) => ({ path, text: path }));
  await expect(writeDirectory(files, join(parent, 'new'))).rejects.toMatchObject({ code: 'EEXIST' });
  await mkdir(join(parent, 'old'));
  await expect(writeDirectory(files, join(parent, 'old'))).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readdir(parent)).toEqual(['old']);
});
