import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { viewDirectory } from './view-directory.ts';

// More than the arguments that a call of a function can have.
const count = 150_000;

test('any number of entries of a directory is listed up to the limit', async () => {
  using root = mkdtempDisposableSync(join(tmpdir(), 'varve-'));
  const { path } = root;
  mkdirSync(join(path, 'child'));
  for (let index = 0; index < count; index += 1) writeFileSync(join(path, 'child', String(index)), '');
  const { signal } = new AbortController();
  const options = { maxChars: 10_000, roots: undefined, signal };
  const text = await viewDirectory({ path, real: path, stats: undefined }, options);
  expect(text).toContain(`${join(path, 'child')}/\n${join(path, 'child', '0')}\n`);
  expect(text).toMatch(/\[149\d{3} more entries left out/);
});
