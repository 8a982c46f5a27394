import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { test } from 'vitest';
import { killRounds } from '../kill-rounds.ts';

test('five hundred kills lose no acknowledged event', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const opening = `(await import('@varve/storage/sqlite')).sqliteStore({ path: ${JSON.stringify(path)} })`;
  await killRounds({ opening, open: async () => sqliteStore({ path }) }, 500);
});
