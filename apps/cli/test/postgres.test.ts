import { describe, expect, test } from 'vitest';
import { postgresStore } from '@varve/storage-postgres';
import { countRows, freshUrl, password, problem, runSql } from '../../../packages/storage-postgres/test/server.ts';
import { newHome, runVarve } from './run-varve.ts';

const id = 'a'.repeat(32);
const secret = encodeURIComponent(password);

/** Creates a conversation of one event. */
async function fill(url: string): Promise<void> {
  await using store = await postgresStore({ url });
  await using log = await store.create(id, {});
  await log.append([{ id: 'e', kind: 'X', parentId: undefined, text: '{"id":"e","kind":"X"}' }]);
}

describe.skipIf(problem !== undefined)('a store in PostgreSQL', () => {
  test('is used by every command that names it, and its password is printed by none', async () => {
    const url = await freshUrl();
    await fill(url);
    const home = await newHome();
    for (const args of [['ls'], ['show', id, '--json'], ['verify', id], ['repair', id]]) {
      for (const result of [
        await runVarve([...args, '--store', url], { home }),
        await runVarve(args, { home, env: { VARVE_STORE: url.replace('postgres:', 'postgresql:') } }),
      ]) {
        expect([args, result.code, result.stderr]).toEqual([args, 0, expect.any(String)]);
        expect(result.stdout + result.stderr).not.toContain(secret);
      }
    }
    const listed = await runVarve(['config', 'list'], { home, env: { VARVE_STORE: url } });
    expect(listed.stdout).toMatch(/store +postgres:\/\/127\.0\.0\.1:\d+\/postgres/);
    expect(listed.stdout).not.toContain(secret);
    const served = await runVarve(['serve', '--print-config'], { home, env: { VARVE_STORE: url } });
    expect(served.stdout).not.toContain(secret);
  });

  test('of a URL without a password is opened with the one of PGPASSWORD', async () => {
    const [url, other] = [await freshUrl(), await freshUrl()];
    await fill(url);
    const [from, to] = [url, other].map((text) => text.replace(`:${secret}@`, '@'));
    const args = ['cp', String(to), id, '--store', String(from)];
    const copied = await runVarve(args, { home: await newHome(), env: { PGPASSWORD: password } });
    expect([copied.code, copied.stderr]).toEqual([0, expect.stringContaining(`Copied ${id}`)]);
    await using store = await postgresStore({ url: other, password: 'of a URL without one' });
    expect((await store.summary(id)).head).toBe(1);
  });

  test('is created by its owner for a role that only appends', async () => {
    const url = await freshUrl();
    const role = `role_${new URL(url).searchParams.get('schema')}`;
    await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
    try {
      const surroundings = { home: await newHome() };
      for (const round of ['created', 'migrated']) {
        const { code, stderr } = await runVarve(['migrate', '--store', url, '--role', role], surroundings);
        expect([round, code, stderr]).toEqual([round, 0, '']);
      }
      await fill(Object.assign(new URL(url), { username: role, password: 'x' }).href);
      const sqlite = ['migrate', '--store', 'sqlite:a.db', '--role', role];
      expect((await runVarve(sqlite, surroundings)).code).toBe(2);
    } finally {
      await runSql(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  test('that has no tables is missing for commands that read, which create none', async () => {
    const url = await freshUrl();
    const home = await newHome();
    for (const args of [['ls'], ['show', id], ['verify', id], ['rm', id, '--yes']]) {
      const { code, stderr } = await runVarve([...args, '--store', url], { home });
      expect([args, code, stderr]).toEqual([
        args,
        4,
        expect.stringMatching(/The schema test_\w+ of postgres:.* has no tables/),
      ]);
      expect(stderr).not.toContain(secret);
    }
    await expect(countRows(url, 'conversation')).rejects.toThrow('does not exist');
  });

  test('that refuses the connection is an error without the password', async () => {
    const url = (await freshUrl()).replace(secret, 's3cret');
    const home = await newHome();
    const { code, stderr } = await runVarve(['ls', '--store', url], { home });
    expect([code, stderr]).toEqual([4, expect.stringContaining('password authentication failed')]);
    expect(stderr).not.toContain('s3cret');
  });
});

test.for(['postgre://me:s3cret@host/d', 'postgres://me:s3cret@host/d?sslmode=x', 'postgres://me:s3cret@[::/d'])(
  'the URL %s is a wrong option, and its password is not printed',
  async (url) => {
    const home = await newHome();
    const { code, stdout, stderr } = await runVarve(['ls', '--store', url], { home });
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('s3cret');
  },
);
