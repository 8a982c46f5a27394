import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { killRounds } from '../kill-rounds.ts';

test('two hundred kills lose no acknowledged event', async () => {
  await using directory = await mkdtempDisposable(`${tmpdir()}/varve-`);
  const { path } = directory;
  const opening = `(await import('@varve/storage/directory')).directoryStore({ path: ${JSON.stringify(path)} })`;
  const warnings: unknown[] = [];
  const open = async () => directoryStore({ path, warnings: (warning) => void warnings.push(warning) });
  await killRounds({ opening, open }, 200);
  expect(warnings).toEqual([]);
});
