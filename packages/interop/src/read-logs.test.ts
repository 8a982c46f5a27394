import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesAt } from './common/files-at.ts';
import { formatOf, readLogs } from './read-logs.ts';

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'varve-logs-'));

test('the format of a file is recognised, and its logs are read', async () => {
  const path = join(await newDirectory(), 'log.json');
  await writeFile(path, JSON.stringify([{ id: 0, source: 'user', action: 'message', args: { content: 'Go.' } }]));
  const files = await filesAt(path);
  expect((await formatOf(files))?.name).toBe('v0');
  const [log, ...others] = await readLogs(files);
  expect([log?.entries.map(({ kind }) => kind), others]).toEqual([expect.arrayContaining(['MessageEvent']), []]);
});

test('files of no format cannot be read', async () => {
  const path = join(await newDirectory(), 'notes.txt');
  await writeFile(path, 'Notes.');
  await expect(readLogs(await filesAt(path))).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The format of notes.txt cannot be read.',
  });
});

test('links and files in deep directories have no text', async () => {
  const top = await newDirectory();
  await mkdir(join(top, 'a/b/c'), { recursive: true });
  for (const path of ['secret', 'a/b/file', 'a/b/c/deep']) await writeFile(join(top, path), path);
  const directory = join(top, 'a');
  await symlink(join(top, 'secret'), join(directory, 'link'));
  const files = await filesAt(directory);
  expect(files.paths).toEqual(['b/c/deep', 'b/file', 'link']);
  expect(await files.text('b/file')).toBe('a/b/file');
  expect([await files.text('link'), await files.start('link')]).toEqual([undefined, '']);
});
