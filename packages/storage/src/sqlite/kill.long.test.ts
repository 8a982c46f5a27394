import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { test } from 'vitest';
import { killRound } from '../testing/kill-round.ts';

test('a hundred kills lose nothing that was acknowledged', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const opening = `(await import('@varve/storage/sqlite')).sqliteStore({ path: ${JSON.stringify(path)} })`;
  for (let round = 0; round < 100; round += 1) {
    const count = 1 + Math.floor(Math.random() * 50);
    await killRound(opening, count, async () => sqliteStore({ path }));
  }
});
