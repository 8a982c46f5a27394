import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ed25519Signer, type EventStore, memoryStore, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { copyLog, exportBundle, importBundle } from '@varve/storage/maintenance';
import { sqliteStore } from '@varve/storage/sqlite';
import { describe, expect, test } from 'vitest';
import { newEvent, newEvents } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { freshUrl, problem } from './server.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(1));
const trusted = [signer.did];

const others: Record<string, (path: string) => Promise<EventStore>> = {
  memory: async () => memoryStore(),
  SQLite: async (path) => sqliteStore({ path: join(path, 'store.db'), durability: 'buffered' }),
  'a directory': async (path) => directoryStore({ path, durability: 'buffered' }),
};

async function fill(store: EventStore): Promise<void> {
  await using log = await store.create('c', { title: 'é' });
  await log.append([newEvent('a', { note: '\u2028"\\ 🧊' }), newEvent('b', { parentId: 'a' })], { signer });
  await log.append(newEvents(0, 30));
  await log.append([newEvent('long', { note: '🧊"\\'.repeat(40_000) })]);
  await log.append([], { signer });
}

async function bundleOf(store: EventStore): Promise<string> {
  return (await Array.fromAsync(exportBundle(await store.read('c'), await store.summary('c')))).join('');
}

async function* chunks(text: string): AsyncGenerator<string> {
  yield text;
}

/** Checks that a log and its proof are the same after a copy and after an import of its bundle. */
async function expectSameAfterMove(source: EventStore, target: EventStore): Promise<void> {
  const log = await source.read('c');
  const verdict = await verify(log, { trusted });
  expect(verdict).toMatchObject({ head: 33, sealed: 33, signedEvents: 33 });
  const events = await Array.fromAsync(log.range(0));
  const proofs = await log.proof?.page(0, 100);
  const bundle = await bundleOf(source);
  const move = {
    copy: async () => copyLog(log, target, { trusted }),
    bundle: async () => importBundle(chunks(bundle), target, { trusted }),
  };
  for (const run of [move.copy, move.bundle]) {
    expect(await run()).toEqual(verdict);
    const moved = await target.read('c');
    expect(await Array.fromAsync(moved.range(0))).toEqual(events);
    expect(await moved.proof?.page(0, 100)).toEqual(proofs);
    await target.remove('c');
  }
}

describe.skipIf(problem !== undefined)('a conversation keeps every byte, seal and signature', () => {
  test.for(Object.entries(others))('from %s to PostgreSQL and back', async ([, openOther]) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using other = await openOther(directory.path);
    await using store = await postgresStore({ url: await freshUrl() });
    await fill(other);
    await expectSameAfterMove(other, store);
    await copyLog(await other.read('c'), store, { trusted });
    await other.remove('c');
    await expectSameAfterMove(store, other);
  });
});
