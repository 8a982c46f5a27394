import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { killRound } from '../testing/kill-round.ts';

test('a hundred kills lose nothing that was acknowledged', async () => {
  await using directory = await mkdtempDisposable(`${tmpdir()}/varve-`);
  const { path } = directory;
  const opening = `(await import('@varve/storage/directory')).directoryStore({ path: ${JSON.stringify(path)} })`;
  const warnings: unknown[] = [];
  for (let round = 0; round < 100; round += 1) {
    const count = 1 + Math.floor(Math.random() * 50);
    await killRound(opening, count, async () =>
      directoryStore({ path, warnings: (warning) => void warnings.push(warning) }),
    );
  }
  expect(warnings).toEqual([]);
});
