import { ed25519Signer, verify } from '@varve/storage';
import { exportBundle, repair } from '@varve/storage/maintenance';
import { sealLosses, tableAttacks } from '@varve/storage/testing';
import { describe, expect, test } from 'vitest';
import { newEvent, newEvents } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { freshUrl, problem, runSql } from './server.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(1));

/** Writes a log of six signed events, and returns the URL of its store after the SQL has changed the tables. */
async function tampered(sql: string): Promise<string> {
  const url = await freshUrl();
  {
    await using store = await postgresStore({ url });
    await using log = await store.create('c', {});
    await log.append(newEvents(0, 6), { signer });
    expect((await verify(log)).broken).toBeUndefined();
  }
  await runSql(url, sql);
  return url;
}

describe.skipIf(problem !== undefined)('a log in PostgreSQL', () => {
  test.for(tableAttacks)('with $title is detected', async ({ sql, expected }) => {
    await using store = await postgresStore({ url: await tampered(sql) });
    const { broken } = await verify(await store.read('c'), { trusted: [signer.did] });
    expect([broken?.seq, broken?.reason]).toEqual(expected);
  });

  test.for(sealLosses)('that lost $title is refused until that is accepted', async ({ sql }) => {
    await using store = await postgresStore({ url: await tampered(sql) });
    const reader = await store.read('c');
    const head = await reader.head();
    expect((await verify(reader)).broken).toBeDefined();
    for (const turn of [1, 2]) await expect(store.open('c'), `${turn}`).rejects.toMatchObject({ code: 'unsealed' });
    await using log = await store.open('c', { purpose: 'repair' });
    await expect(log.append([newEvent('more')])).rejects.toMatchObject({ code: 'unsealed' });
    expect((await repair(log)).accepted).toEqual([]);
    await expect(log.append([newEvent('more')])).rejects.toMatchObject({ code: 'unsealed' });
    const { accepted } = await repair(log, { acceptUnsealed: true });
    expect(accepted).toMatchObject([{ end: head, cause: 'accepted' }]);
    expect(await log.append([newEvent('more')])).toEqual([head]);
    // What kept its seal is not accepted: the edited event is still altered if only later seals were lost.
    const { broken, unsealed } = await verify(reader, { requireSeals: true });
    const isAccepted = unsealed.some(({ seq }) => seq <= 4 || seq === 6);
    expect([broken?.seq, broken?.reason]).toEqual(isAccepted ? [undefined, undefined] : [4, 'altered']);
  });

  test('that lost rows is reported, refused and repaired', async () => {
    await using store = await postgresStore({ url: await tampered('DELETE FROM event WHERE seq IN (2, 4)') });
    const loss = { seq: 2, end: 6, reason: 'missing', kept: 2 };
    expect(await (await store.read('c')).loss?.()).toMatchObject(loss);
    await expect(store.open('c')).rejects.toMatchObject({ code: 'incomplete' });
    await using log = await store.open('c', { purpose: 'repair' });
    await expect(log.append([newEvent('more')])).rejects.toMatchObject({ code: 'incomplete' });
    expect(await repair(log)).toMatchObject({ loss, cut: { seq: 2, end: 6 } });
    await log.append([newEvent('more')], { expectedHead: 2 });
    expect(await verify(log)).toMatchObject({ head: 3, sealed: 3 });
    expect(await Array.fromAsync(log.proof?.quarantine?.() ?? [])).toHaveLength(6);
  });

  test('with rows outside of its events is refused and repaired', async () => {
    const url = await tampered('UPDATE event SET seq = -1 - seq WHERE seq = 3');
    await using store = await postgresStore({ url });
    await expect(store.open('c')).rejects.toMatchObject({ code: 'incomplete' });
    await using log = await store.open('c', { purpose: 'repair' });
    expect(await repair(log)).toMatchObject({ cut: { seq: 3, end: 6 } });
    expect(await log.append(newEvents(3, 4))).toEqual([3]);
    expect(await log.loss?.()).toBeUndefined();
  });

  test.for(['{', '{}', 'null', '{"kind":"checkpoint","seq":"3"}'])(
    'with a statement that cannot be read (%s) keeps it in quarantine when it is repaired',
    async (json) => {
      await using store = await postgresStore({
        url: await tampered(`UPDATE statement SET json = '${json}' WHERE seq = 3`),
      });
      await using log = await store.open('c', { purpose: 'repair' });
      expect(await repair(log)).toEqual({ resolved: [], accepted: [], malformed: 1 });
      expect((await Array.fromAsync(log.proof?.quarantine?.() ?? [])).map((text) => JSON.parse(text))).toEqual([
        { seq: 3, statement: json },
      ]);
      expect(await Array.fromAsync(exportBundle(log, await store.summary('c')))).toHaveLength(8);
    },
  );

  test.for(['head', 'lease_epoch', 'lease_until'])(
    'with a %s that JavaScript cannot represent is damaged',
    async (column) => {
      const url = await tampered(`UPDATE conversation SET ${column} = 9223372036854775807`);
      await using store = await postgresStore({ url });
      await expect(store.open('c')).rejects.toMatchObject({ code: 'corrupt' });
    },
  );

  test('whose long string is lost is read up to it, and a changed one is refused by the database', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    await using log = await store.create('c', {});
    await log.append([newEvent('a'), newEvent('b', { note: 'x'.repeat(50_000) })]);
    await expect(runSql(url, "UPDATE blob SET text = 'y'")).rejects.toThrow('violates check constraint');
    await runSql(url, 'ALTER TABLE event_blob DISABLE TRIGGER USER; DELETE FROM event_blob');
    expect((await log.at(0)).id).toBe('a');
    await expect(log.at(1)).rejects.toMatchObject({ code: 'corrupt' });
  });
});
