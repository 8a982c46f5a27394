import { describe, expect, test } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { freshUrl, problem, runSql } from './server.ts';

describe.skipIf(problem !== undefined)('a role with few rights', () => {
  test('serves conversations, and cannot change what they contain or the tables', async () => {
    const url = await freshUrl();
    const schema = new URL(url).searchParams.get('schema') ?? '';
    const role = `role_${schema}`;
    await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'CHANGE-ME'`);
    await (await postgresStore({ url, role }))[Symbol.asyncDispose]();
    try {
      const asRole = new URL(url);
      asRole.username = role;
      asRole.password = 'CHANGE-ME';
      await using store = await postgresStore({ url: asRole.href });
      const log = await store.create('c', {});
      const note = 'x'.repeat(50_000);
      const fact = '{"id":"f","kind":"ConversationStateUpdateEvent","key":"varve.a","value":"b"}';
      await log.append([newEvent('a', { note }), newEvent('b')], { meta: { title: 'x' } });
      await log.append([{ id: 'f', kind: 'ConversationStateUpdateEvent', parentId: undefined, text: fact }]);
      await log.snapshots.save('view', { seq: 2, state: 1 });
      expect(await log.snapshots.latest('view')).toEqual({ seq: 2, state: 1 });
      expect((await store.facts?.({ name: 'varve.a' }))?.items).toHaveLength(1);
      for (const text of ['a', 'b']) expect(await store.replicas?.records.write('r', text)).toBe(true);
      await store.replicas?.records.remove('r');
      await expect(log.proof?.cut(1)).rejects.toMatchObject({
        code: 'io',
        message: expect.stringContaining('permission denied'),
      });
      await log[Symbol.asyncDispose]();
      expect((await store.open('c')).epoch).toBe(2);
      for (const sql of [
        "UPDATE event SET text = ''",
        'DELETE FROM event',
        'DELETE FROM statement',
        "UPDATE statement SET json = ''",
        "UPDATE blob SET text = ''",
        'DELETE FROM blob',
        'DELETE FROM event_blob',
        'DROP TABLE event',
        'TRUNCATE event CASCADE',
        'CREATE TABLE other (a integer)',
        'DELETE FROM migration',
      ]) {
        await expect(runSql(asRole.href, sql), sql).rejects.toThrow(/permission denied|must be owner/);
      }
      await using reader = await postgresStore({ url: asRole.href });
      expect(await (await reader.read('c')).head()).toBe(3);
      await expect(postgresStore({ url: asRole.href, role })).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('cannot grant rights'),
      });
      await expect(postgresStore({ url, role: `${role}_x` })).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('does not exist'),
      });
      await (await store.create('d', {}))[Symbol.asyncDispose]();
      await store.remove('d');
    } finally {
      await runSql(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  test('that may not create tables is named when they are missing', async () => {
    const url = await freshUrl();
    const role = `role_${new URL(url).searchParams.get('schema') ?? ''}`;
    await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
    try {
      const asRole = new URL(url);
      asRole.username = role;
      asRole.password = 'x';
      const error = { code: 'io', message: expect.stringMatching(/refused: permission denied for database/) };
      await expect(postgresStore({ url: asRole.href })).rejects.toMatchObject(error);
    } finally {
      await runSql(url, `DROP ROLE ${role}`);
    }
  });
});
