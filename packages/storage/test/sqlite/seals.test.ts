import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { repair } from '@varve/storage/maintenance';
import { ed25519Signer, verify } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { assert, asyncProperty, boolean, integer, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { idsOf, newEvent, newEvents } from '../../src/testing/events.ts';
import { sealLosses } from '../../src/testing/table-attacks.ts';

const length = 6;
const signer = ed25519Signer(new Uint8Array(32).fill(1));

async function closedLog() {
  const directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  {
    await using store = await sqliteStore({ path, durability: 'buffered' });
    await (await store.create('c', {})).append(newEvents(0, length), { signer });
  }
  const tamper = (sql: string): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  const open = async () => sqliteStore({ path, durability: 'buffered' });
  return { tamper, open, [Symbol.asyncDispose]: directory[Symbol.asyncDispose] };
}

const copyOf = (seq: number): string => `
  INSERT INTO event (conversation, seq, id, kind, parent_id, text)
  SELECT conversation, ${seq}, 'copy', kind, parent_id, text FROM event WHERE seq = 0;`;

test.for(sealLosses)('a log that lost $title is refused until that is accepted', async ({ sql }) => {
  await using files = await closedLog();
  files.tamper(sql);
  await using store = await files.open();
  const reader = await store.read('c');
  const head = await reader.head();
  expect((await verify(reader)).broken).toBeDefined();
  for (const turn of [1, 2]) await expect(store.open('c'), `${turn}`).rejects.toMatchObject({ code: 'unsealed' });
  {
    await using log = await store.open('c', { purpose: 'repair' });
    await expect(log.append([newEvent('more')])).rejects.toMatchObject({ code: 'unsealed' });
    expect((await repair(log)).accepted).toEqual([]);
    await expect(log.append([newEvent('more')])).rejects.toMatchObject({ code: 'unsealed' });
    const { accepted } = await repair(log, { acceptUnsealed: true });
    expect(accepted).toMatchObject([{ end: head, cause: 'accepted' }]);
    expect(await log.append([newEvent('more')])).toEqual([head]);
  }
  const { broken, sealed, unsealed } = await verify(reader, { requireSeals: true });
  // What kept its seal is not accepted: the edited event is still altered if only later seals were lost.
  const isAccepted = unsealed.some(({ seq }) => seq <= 4 || seq === length);
  expect([broken?.seq, broken?.reason, sealed]).toEqual(
    isAccepted ? [undefined, undefined, head + 1] : [4, 'altered', 4],
  );
  await (await store.open('c'))[Symbol.asyncDispose]();
});

test('a log that lost any of its seals is refused until that is accepted', async () => {
  const lost = uniqueArray(integer({ min: 0, max: length }), { minLength: 1 });
  await assert(
    asyncProperty(lost, async (seqs) => {
      await using files = await closedLog();
      files.tamper(`UPDATE event SET seal = NULL WHERE seq IN (${seqs.join()})`);
      // The seal of the conversation, which is that of the last event.
      if (seqs.includes(length)) files.tamper('UPDATE conversation SET seal = NULL');
      await using store = await files.open();
      expect((await verify(await store.read('c'))).broken).toBeDefined();
      await expect(store.open('c')).rejects.toMatchObject({ code: 'unsealed' });
      await using log = await store.open('c', { purpose: 'repair' });
      const seq = Math.min(...seqs) % length;
      expect((await repair(log, { acceptUnsealed: true })).accepted).toMatchObject([{ seq, end: length }]);
      expect(await log.append([newEvent('more')])).toEqual([length]);
      expect((await verify(log)).sealed).toBe(length + 1);
    }),
    { numRuns: 15 },
  );
});

test('rows outside of the events are reported, refused and repaired', async () => {
  const moved = uniqueArray(integer({ min: 0, max: length - 1 }), { minLength: 1, maxLength: 3 });
  await assert(
    asyncProperty(moved, boolean(), async (seqs, isCopied) => {
      await using files = await closedLog();
      const copies = seqs.map(
        (seq) => `INSERT INTO event (conversation, seq, id, kind, text)
        SELECT conversation, -1 - seq, 'copy' || seq, kind, text FROM event WHERE seq = ${seq};`,
      );
      files.tamper(isCopied ? copies.join('') : `UPDATE event SET seq = -1 - seq WHERE seq IN (${seqs.join()})`);
      await using store = await files.open();
      const seq = isCopied ? length : Math.min(...seqs);
      expect(await (await store.read('c')).loss?.()).toMatchObject({ seq, reason: 'missing' });
      await expect(store.open('c')).rejects.toMatchObject({ code: 'incomplete' });
      await using log = await store.open('c', { purpose: 'repair' });
      expect(await repair(log)).toMatchObject({ cut: { seq, end: length } });
      expect(await log.loss?.()).toBeUndefined();
      expect(await log.append(newEvents(seq, length + 1))).toHaveLength(length + 1 - seq);
      const texts = await Array.fromAsync(log.proof?.quarantine?.() ?? []);
      expect(texts.filter((text) => JSON.parse(text).seq < 0)).toHaveLength(seqs.length);
    }),
    { numRuns: 10 },
  );
});

test('lost rows are reported, refused and repaired', async () => {
  const lost = uniqueArray(integer({ min: 0, max: length - 1 }), { minLength: 1, maxLength: 4 });
  await assert(
    asyncProperty(lost, async (seqs) => {
      await using files = await closedLog();
      files.tamper(`DELETE FROM event WHERE seq IN (${seqs.join()})`);
      const seq = Math.min(...seqs);
      await using store = await files.open();
      const loss = { seq, end: length, reason: 'missing', kept: length - seq - seqs.length };
      expect(await (await store.read('c')).loss?.()).toMatchObject(loss);
      for (const turn of [1, 2]) await expect(store.open('c'), `${turn}`).rejects.toMatchObject({ code: 'incomplete' });
      await using log = await store.open('c', { purpose: 'repair' });
      await expect(log.append([newEvent('more')])).rejects.toMatchObject({ code: 'incomplete' });
      expect(await repair(log)).toMatchObject({ loss, cut: { seq, end: length } });
      expect(await idsOf(log.range(0))).toEqual(newEvents(0, seq).map(({ id }) => id));
      await log.append([newEvent('more')], { expectedHead: seq });
      expect(await verify(log)).toMatchObject({ head: seq + 1, sealed: seq + 1 });
      expect(await log.loss?.()).toBeUndefined();
    }),
    { numRuns: 12 },
  );
});

test('a row after the end of the log is reported and refused', async () => {
  await using files = await closedLog();
  files.tamper(copyOf(6));
  await using store = await files.open();
  expect(await (await store.read('c')).loss?.()).toMatchObject({ seq: length, end: length + 1 });
  await expect(store.open('c')).rejects.toMatchObject({ code: 'incomplete' });
  await using log = await store.open('c', { purpose: 'repair' });
  expect(await repair(log)).toMatchObject({ cut: { seq: length } });
  expect(await log.append([newEvent('more')])).toEqual([length]);
});
