import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DirectoryWatches } from './directory-watches.ts';

// A superuser may read every directory, so that this shows nothing for one.
test('a directory that may not be read does not end the watches of others', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'watches-'));
  const [closed, open] = [join(root.path, 'closed'), join(root.path, 'open')];
  for (const path of [closed, open]) mkdirSync(path);
  chmodSync(closed, 0);
  const watches = new DirectoryWatches();
  for (const path of [closed, open]) watches.add(path);
  const isLinux = process.platform === 'linux';
  expect(watches.isComplete).toBe(isLinux);
  for (const name of ['1', '2']) {
    const path = join(open, name);
    writeFileSync(path, '');
    expect(await watches.changes()).toEqual(isLinux ? new Set([path]) : undefined);
  }
  await watches.close();
});
