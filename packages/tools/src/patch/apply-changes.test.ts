import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../test/support/write-files.ts';
import { applyChanges } from './apply-changes.ts';

test('changes made before a failed change are reverted', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-changes-'));
  await writeFiles(directory, { a: '1', b: '1' });
  const previous = undefined;
  const before = Buffer.from('1');
  const refused = await applyChanges([
    { real: join(directory, 'a'), before, after: Buffer.from('2'), previous },
    { real: join(directory, 'b'), before, after: undefined, previous },
    { real: join(directory, 'c/d'), before: undefined, after: Buffer.from('2'), previous },
    // Only the rename can fail: the name of the temporary file is short.
    { real: join(directory, 'x'.repeat(300)), before: undefined, after: Buffer.from('2'), previous },
  ]);
  expect(refused?.refused).toMatch(/^Nothing was changed: applying the patch failed: ENAMETOOLONG/);
  expect(await readdir(directory, { recursive: true })).toEqual(['a', 'b']);
  expect(await Promise.all(['a', 'b'].map((name) => readFile(join(directory, name), 'utf8')))).toEqual(['1', '1']);
  await rm(directory, { recursive: true });
});
