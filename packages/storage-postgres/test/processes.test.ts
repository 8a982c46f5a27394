import { describe, expect, test } from 'vitest';
import { killRounds } from '../../storage/test/kill-rounds.ts';
import { race, takeovers } from '../../storage/test/races.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { freshUrl, problem, runSql } from './server.ts';

const entry = new URL('../src/index.ts', import.meta.url).href;

/** Returns an expression that opens the store in another process. */
function opening(url: string, options = ''): string {
  return `(await import(${JSON.stringify(entry)})).postgresStore({ url: ${JSON.stringify(url)}, ${options} })`;
}

/** The connections of this name see the clock of the database one hour ahead. */
const ahead = 'ahead';
const clockOfName = `
  CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
    + CASE current_setting(''application_name'') WHEN ''${ahead}'' THEN 3600000 ELSE 0 END'`;

describe.skipIf(problem !== undefined)('processes that share a store in PostgreSQL', () => {
  test('and race for one conversation write one log', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const racers = { opening: opening(url), fastClockOpening: opening(url, 'leaseMs: 300') };
    const codes = await race(store, racers, 3, 12);
    expect(codes.filter((code) => !['held', 'fenced', 'conflict'].includes(code))).toEqual([]);
  });

  test('append nothing after they were stopped and taken over', async () => {
    const url = await freshUrl();
    await (await postgresStore({ url }))[Symbol.asyncDispose]();
    await runSql(url, clockOfName);
    const open = async () => postgresStore({ url: `${url}&application_name=${ahead}` });
    await takeovers(open, { opening: opening(url), fastClockOpening: '' }, 15);
  });

  test('lose no acknowledged event when they are killed', async () => {
    const url = await freshUrl();
    await killRounds({ opening: opening(url), open: async () => postgresStore({ url }) }, 16);
  });
});
