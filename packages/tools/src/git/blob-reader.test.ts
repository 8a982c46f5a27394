import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BlobReader } from './blob-reader.ts';

test('blobs are read through one process and after its end, missing ones and other objects are left out', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-blobs-'));
  const git = (input: string | Buffer, ...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: directory.path, input, encoding: 'utf8' }).trim();
  git('', 'init', '--quiet');
  const contents = ['', 'a\n', `${'0'.repeat(40)} missing\n`, 'x'.repeat(3_000_000), Buffer.from([0, 10, 255])];
  const blobs = contents.map((content) => git(content, 'hash-object', '-w', '--stdin'));
  const tree = git(`100644 blob ${blobs[1]}\ta\n`, 'mktree');
  const missing = 'f'.repeat(40);
  const reader = new BlobReader(directory.path);
  const read = async (names: readonly string[]) =>
    Object.fromEntries([...(await reader.read(names))].map(([name, bytes]) => [name, bytes.toString('latin1')]));
  const all = Object.fromEntries(contents.map((content, index) => [blobs[index], content.toString('latin1')]));
  expect(await read([missing, ...blobs, tree])).toEqual(all);
  expect(await read([tree, missing])).toEqual({});
  expect(await read([])).toEqual({});
  // The process finds an object that is newer than itself.
  const late = git('late', 'hash-object', '-w', '--stdin');
  expect(await read([late])).toEqual({ [late]: 'late' });
  reader.close();
  expect(await read(blobs)).toEqual(all);
  reader.close();
  writeFileSync(join(directory.path, '.git/HEAD'), 'damaged');
  for (const path of [directory.path, join(directory.path, 'none')]) {
    const failing = new BlobReader(path);
    expect([await failing.read(blobs), await failing.read(blobs)]).toEqual([new Map(), new Map()]);
    failing.close();
  }
});
