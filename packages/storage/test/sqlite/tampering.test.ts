import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { exportBundle, repair } from '@varve/storage/maintenance';
import { ed25519Signer, verify, type VerifyOptions } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { newEvents } from '../../src/testing/events.ts';
import { tableAttacks } from '../../src/testing/table-attacks.ts';

const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));
const signer = ed25519Signer(new Uint8Array(32).fill(1));

async function writeLog(path: string): Promise<void> {
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append(newEvents(0, 6), { signer });
}

function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

async function verdictOf(path: string, options: VerifyOptions = {}) {
  await using store = await sqliteStore({ path });
  return await verify(await store.read('c'), options);
}

test.for(tableAttacks)('$title is detected', async ({ sql, expected }) => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await writeLog(path);
  expect((await verdictOf(path)).broken).toBeUndefined();
  tamper(path, sql);
  const { broken } = await verdictOf(path, { trusted: [signer.did] });
  expect([broken?.seq, broken?.reason]).toEqual(expected);
});

test.for(['{', '{}', '[]', 'null', '{"kind":"checkpoint","seq":"3"}'])(
  'a statement that cannot be read (%s) goes to quarantine when the log is repaired',
  async (json) => {
    await using directory = await temporary();
    const path = join(directory.path, 'store.db');
    await writeLog(path);
    tamper(path, `UPDATE statement SET json = '${json}' WHERE seq = 3`);
    await using store = await sqliteStore({ path });
    await using log = await store.open('c', { purpose: 'repair' });
    expect(await repair(log)).toEqual({ resolved: [], accepted: [], malformed: 1 });
    expect(await verify(log, { trusted: [signer.did] })).toMatchObject({ head: 6, sealed: 6, signedEvents: 6 });
    expect((await Array.fromAsync(log.proof?.quarantine?.() ?? [])).map((text) => JSON.parse(text))).toEqual([
      { seq: 3, statement: json },
    ]);
    expect(await repair(log)).toEqual({ resolved: [], accepted: [] });
  },
);

test.for([-1, 0, 5, 6, 1000, 2 ** 52])('statements that were moved to event %s are named, and end', async (seq) => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await writeLog(path);
  tamper(path, `UPDATE statement SET seq = ${seq} WHERE seq IN (2, 3)`);
  await using store = await sqliteStore({ path });
  const { broken } = await verify(await store.read('c'), { trusted: [signer.did], mustBeSigned: () => true });
  expect(broken).toBeDefined();
  await using log = await store.open('c', { purpose: 'repair' });
  expect((await repair(log)).malformed).toBe(2);
  const lines = await Array.fromAsync(exportBundle(log, await store.summary('c')));
  expect(lines).toHaveLength(8);
});

test.for(['head', 'lease_epoch', 'lease_until', 'updated_at', 'legacy'])(
  'a %s that JavaScript cannot represent is damage',
  async (column) => {
    await using directory = await temporary();
    const path = join(directory.path, 'store.db');
    await writeLog(path);
    tamper(path, `UPDATE conversation SET ${column} = 9223372036854775807`);
    await using store = await sqliteStore({ path });
    await expect(store.open('c')).rejects.toMatchObject({ code: 'corrupt' });
  },
);

test('a log of a version without seals is sealed when it is opened, not before', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  tamper(path, await readFile(join(import.meta.dirname, '../../src/sqlite/golden/schema-1.sql'), 'utf8'));
  await using store = await sqliteStore({ path });
  const before = await verify(await store.read('free'));
  expect([before.head, before.sealed, before.broken]).toEqual([2, 0, undefined]);
  const log = await store.open('free');
  expect(await verify(log)).toMatchObject({ head: 2, sealed: 2, seal: before.seal });
  await log.append(newEvents(0, 1), { signer });
  const after = await verify(log, { trusted: [signer.did], known: { seq: 1, seal: before.seal } });
  expect([after.sealed, after.signedEvents, after.broken]).toEqual([3, 3, undefined]);
});

test.for(['', 'x', '{"a":', '\u0000', '\uFFFF', 'undefined', '[1,]'])(
  'a meta of %j, which is not JSON, costs neither a listing nor the log',
  async (json) => {
    await using directory = await temporary();
    const path = join(directory.path, 'log.db');
    await writeLog(path);
    tamper(path, `UPDATE meta SET json = CAST(X'${Buffer.from(json).toString('hex')}' AS TEXT)`);
    await using store = await sqliteStore({ path });
    const { items } = await store.list();
    expect(items).toMatchObject([{ id: 'c', head: 6, meta: null }]);
    const log = await store.open('c');
    await log.append(newEvents(6, 7), { meta: { title: 'again' } });
    expect((await store.summary('c')).meta).toEqual({ title: 'again' });
  },
);
