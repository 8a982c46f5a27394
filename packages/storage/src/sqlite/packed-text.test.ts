import { createHash } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deflateRawSync } from 'node:zlib';
import { verify } from '@varve/storage';
import { repair } from '@varve/storage/maintenance';
import { sqliteStore } from '@varve/storage/sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newEvent, newEvents } from '../testing/events.ts';
import { dictionary, packText, unpackText } from './packed-text.ts';

test('any text is restored exactly', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => unpackText(packText(text)) === text));
});

test('a text that was packed by the first version with packed texts is restored', () => {
  const packed = '83161206868666c6069616ba46c94906ba266986e6ba49a92946ba690646c64696a649e6162669d8ca4f6c791d00';
  const text = '{"id":"01163098-2cb0-4f17-bed2-f023295b784f","source":"agent","kind":"ActionEvent"}';
  expect(unpackText(Buffer.from(packed, 'hex'))).toBe(text);
});

test('the dictionary never changes, because stored texts need it', () => {
  expect(createHash('sha256').update(dictionary).digest('hex')).toBe(
    '9bb13db4046ee2c723f398473670ad2f3d12dc58fce09f3d45940119672ff484',
  );
});

test('a text that inflates to more than a store packs is damaged', () => {
  const text = ' '.repeat(64 * 1024 * 1024 + 1);
  expect(() => packText(text)).toThrow(/more than 67108864 bytes/);
  expect(unpackText(deflateRawSync(text, { dictionary, windowBits: 13 }))).toBeUndefined();
});

test('an event takes less than half of its text', () => {
  const stamp = '"id":"01163098-2cb0-4f17-bed2-f023295b784f","timestamp":"2026-11-27T19:00:00.212002"';
  const effect = `{${stamp},"source":"environment","parent_id":"8ca4802b-61d3-447d-8a9c-d0b24623720c","key":"varve.effect","value":{"action_id":"8ca4802b-61d3-447d-8a9c-d0b24623720c","idempotency_key":"cb4c1c6df0cb0d96262a937eccffb0206649ab4bb08d1c4812a8f1eda2c5d16c","at":1795806000212},"kind":"ConversationStateUpdateEvent"}`;
  expect(packText(effect).length).toBeLessThan(effect.length / 2);
});

/** Opens a store with six events, and executes SQL in its database. */
async function changed(sql: string) {
  const directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append(newEvents(0, 6));
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return {
    log,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test.for([
  ['of another event', 'UPDATE event SET packed = (SELECT packed FROM event WHERE seq = 1) WHERE seq = 3', 'altered'],
  ['that is lost', 'UPDATE event SET packed = NULL WHERE seq = 3', 'altered'],
  ['with another one before it', "UPDATE event SET text = '{}' WHERE seq = 3", 'altered'],
  ['that is damaged', "UPDATE event SET packed = x'ff00' WHERE seq = 3", 'lost'],
])('verify detects a packed text %s', async ([, sql = '', reason]) => {
  await using opened = await changed(sql);
  expect((await verify(opened.log)).broken).toMatchObject({ seq: 3, reason });
});

test('a damaged text is reported as corrupt, and a repair keeps its bytes in quarantine', async () => {
  await using opened = await changed("UPDATE event SET packed = x'ff00' WHERE seq = 3");
  const { log } = opened;
  await expect(log.at(3)).rejects.toMatchObject({
    code: 'corrupt',
    message: 'The text of event 3 of conversation c is damaged.',
  });
  expect((await repair(log)).cut).toMatchObject({ seq: 3, end: 6 });
  const [quarantined] = await Array.fromAsync(log.proof?.quarantine?.() ?? []);
  expect(JSON.parse(quarantined ?? '')).toMatchObject({ seq: 3, packed: '/wA=' });
  expect(await log.append([newEvent('n')])).toEqual([3]);
});
