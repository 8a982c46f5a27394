import { copyFile, mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ed25519Signer, verify } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { thisProcess } from '../../src/kit/holder.ts';
import { newEvent } from '../../src/testing/events.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(3));

/** Above the largest process id of Linux, so other processes consider this one dead. */
const dead = { ...thisProcess(), pid: 2 ** 22 + 1 };

/** Events acknowledged when the write-ahead log had this many bytes. */
interface Acknowledged {
  readonly bytes: number;
  readonly head: number;
}

async function writeLog(path: string): Promise<readonly Acknowledged[]> {
  const store = await sqliteStore({ path, holder: dead });
  const log = await store.create('c', {});
  const acknowledged: Acknowledged[] = [];
  for (let n = 0; n < 8; n += 1) {
    const events = [0, 1, 2].map((index) => newEvent(`e${3 * n + index}`, { note: 'x'.repeat(500 * index) }));
    await log.append(events, { ...(n % 2 === 0 && { signer }), meta: n });
    acknowledged.push({ bytes: (await stat(`${path}-wal`)).size, head: 3 * n + 3 });
  }
  await copyFile(path, `${path}.kept`);
  await copyFile(`${path}-wal`, `${path}-wal.kept`);
  await store[Symbol.asyncDispose]();
  return acknowledged;
}

test('a truncated or torn write-ahead log keeps whole appends, and all that were acknowledged before', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const acknowledged = await writeLog(path);
  const wal = await readFile(`${path}-wal.kept`);
  const places = acknowledged.flatMap(({ bytes }) => [bytes - 4200, bytes - 700, bytes - 1, bytes, bytes + 511]);
  for (const [index, end] of places.entries()) {
    const crashed = join(directory.path, `crashed-${index}.db`);
    await copyFile(`${path}.kept`, crashed);
    const garbage = Buffer.alloc(index % 2 === 0 ? 0 : 600, 0xa5);
    await writeFile(`${crashed}-wal`, Buffer.concat([wal.subarray(0, Math.max(0, end)), garbage]));
    await using store = await sqliteStore({ path: crashed, durability: 'buffered' });
    const log = await store.open('c').catch(() => store.create('c', {}));
    const head = await log.head();
    const expected = acknowledged.findLast(({ bytes }) => bytes <= end)?.head ?? 0;
    expect([end, head]).toEqual([end, expected]);
    expect((await store.summary('c')).meta).toEqual(head > 0 ? head / 3 - 1 : {});
    const { broken, sealed } = await verify(log, { trusted: [signer.did] });
    expect([broken, sealed]).toEqual([undefined, head]);
    expect(await log.append([newEvent('more')])).toEqual([head]);
  }
});
