import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDirectory } from './export-foreign.ts';

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'varve-new-'));

test('a directory has its name only when it is complete, also after a kill', async () => {
  const parent = await newDirectory();
  const source = `
    import { writeDirectory } from ${JSON.stringify(new URL('export-foreign.ts', import.meta.url).href)};
    const files = [{ path: 'a', text: 'a' }, { path: 'b', get text() { return process.kill(process.pid, 'SIGKILL'); } }];
    await writeDirectory(files, 'killed');`;
  const args = ['--conditions=@varve/source', '--input-type=module', '--eval', source];
  expect(spawnSync(process.execPath, args, { cwd: parent, encoding: 'utf8' })).toMatchObject({ signal: 'SIGKILL' });
  expect(existsSync(join(parent, 'killed'))).toBe(false);
});

test('a directory is removed when one of its files cannot be written, and an existing one is kept', async () => {
  const parent = await newDirectory();
  const files = ['a', 'b/c', 'a'].map((path) => ({ path, text: path }));
  await expect(writeDirectory(files, join(parent, 'new'))).rejects.toMatchObject({ code: 'EEXIST' });
  await mkdir(join(parent, 'old'));
  await expect(writeDirectory(files, join(parent, 'old'))).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readdir(parent)).toEqual(['old']);
});
