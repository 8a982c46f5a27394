import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { test } from 'vitest';
import { killRounds } from '../kill-rounds.ts';

test('two hundred kills lose no acknowledged event', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  // Five processes write without a pause: on a busy machine, one of them can miss its turn for more than ten seconds.
  const options = { path: join(directory.path, 'store.db'), busyMs: 120_000 };
  const opening = `(await import('@varve/storage/sqlite')).sqliteStore(${JSON.stringify(options)})`;
  await killRounds({ opening, open: async () => sqliteStore(options) }, 200);
});
