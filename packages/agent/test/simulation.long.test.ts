import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { test } from 'vitest';
import { simulate } from './simulation.ts';

test.for([1, 2, 3, 4, 5])('10,000 simulated conversations keep every invariant, part %i', async (part) => {
  for (let seed = part * 2_000; seed < (part + 1) * 2_000; seed++) await simulate(seed);
});

test('60 simulated conversations in SQLite keep every invariant', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'simulated-'));
    const disks: EventStore[] = [];
    const newDisk = async (): Promise<EventStore> => {
      const path = join(directory.path, `${disks.length}.db`);
      const disk = await sqliteStore({ path, durability: 'buffered', now: () => 0 });
      disks.push(disk);
      return disk;
    };
    await simulate(seed, newDisk);
    for (const disk of disks) await disk[Symbol.asyncDispose]();
  }
});
