import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { describe, expect, test } from 'vitest';
import { thisProcess } from '../src/kit/holder.ts';
import { agentEvent } from './agent-event.ts';

const id = '0123456789abcdef0123456789abcdef';
const day = 86_400_000;
const today = 1_750_000_000_000;

const kinds = {
  sqlite: async (path: string, options: object) => sqliteStore({ path: join(path, 'store.db'), ...options }),
  directory: async (path: string, options: object) => directoryStore({ path, ...options }),
};

/** Holders that this process cannot see. */
const unseen = { 'another machine': { host: 'elsewhere' }, 'this machine before a restart': { boot: 'earlier' } };

describe.for(Object.entries(kinds))('%s', ([, open]) => {
  test.for(Object.entries(unseen))(
    'a lease of a process on %s whose clock was ahead can be taken over',
    async ([, place]) => {
      await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
      const holder = { ...thisProcess(), ...place };
      await using ahead = await open(directory.path, { holder, now: () => today + 365 * day });
      await using store = await open(directory.path, { now: () => today });
      const old = await ahead.create(id, {});
      await old.append([agentEvent(0)]);
      await expect(store.open(id)).rejects.toMatchObject({ code: 'held' });
      await expect(store.open(id, { purpose: 'repair' })).rejects.toMatchObject({ code: 'held' });

      const log = await store.open(id, { takeOver: true });
      expect([log.epoch, await log.append([agentEvent(1)])]).toEqual([2, [1]]);
      await expect(old.append([agentEvent(2)])).rejects.toMatchObject({ code: 'fenced' });
      await log[Symbol.asyncDispose]();
      expect((await store.open(id)).epoch).toBe(3);
    },
  );

  test('a process that runs on this machine keeps its lease', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using first = await open(directory.path, {});
    await using second = await open(directory.path, {});
    const log = await first.create(id, {});
    await expect(second.open(id, { takeOver: true })).rejects.toMatchObject({ code: 'held' });
    expect(await log.append([agentEvent(0)])).toEqual([0]);
  });

  test('a lease until a time that is no date is named in the error', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using ahead = await open(directory.path, { holder: { ...thisProcess(), host: 'x' }, now: () => 9e15 });
    await using store = await open(directory.path, { now: () => today });
    await ahead.create(id, {});
    const message = `Conversation ${id} is held by process ${process.pid} on x until +275760-09-13T00:00:00.000Z or longer.`;
    await expect(store.open(id)).rejects.toMatchObject({ code: 'held', message });
    expect((await store.open(id, { takeOver: true })).epoch).toBe(2);
  });
});
