import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { describe, expect, test } from 'vitest';
import { race, type Racers, takeovers } from './races.ts';

// Holders of which others do not see whether they run, so that clocks decide.
const unseen = `holder: { host: 'elsewhere', pid: process.pid, boot: '' }`;
const fastClock = `leaseMs: 1000, now: () => ${Date.now()} + (Date.now() - ${Date.now()}) * 4, ${unseen}`;
const late = () => Date.now() + 3_600_000;

const stores = {
  sqlite: {
    open: async (path: string, now: () => number) => sqliteStore({ path: join(path, 'store.db'), now, busyMs: 30 }),
    racers: (path: string): Racers => {
      const opening = (options: string) =>
        `(await import('@varve/storage/sqlite')).sqliteStore({ path: ${JSON.stringify(join(path, 'store.db'))}, ${options} })`;
      return { opening: opening(unseen), fastClockOpening: opening(`${fastClock}, busyMs: 60_000`) };
    },
  },
  directory: {
    open: async (path: string, now: () => number) => directoryStore({ path, now }),
    racers: (path: string): Racers => {
      const opening = (options: string) =>
        `(await import('@varve/storage/directory')).directoryStore({ path: ${JSON.stringify(path)}, ${options} })`;
      return { opening: opening(unseen), fastClockOpening: opening(fastClock) };
    },
  },
};

describe.for(Object.entries(stores))('%s', ([, { open, racers }]) => {
  test('sixteen processes that race for one conversation write one log', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using store = await open(directory.path, Date.now);
    const codes = await race(store, racers(directory.path), 16, 12);
    expect(codes.filter((code) => !['held', 'fenced', 'conflict'].includes(code))).toEqual([]);
  });

  test('a holder that is stopped and taken over 200 times appends nothing afterwards', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await takeovers(async () => open(directory.path, late), racers(directory.path), 200);
  });
});
