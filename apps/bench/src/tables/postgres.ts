import { randomUUID } from 'node:crypto';
import type { NewEvent } from '@varve/storage';
import { postgresStore } from '@varve/storage-postgres';
import { Pool } from 'pg';
import { freshUrl, problem, runSql } from '../../../../packages/storage-postgres/test/server.ts';
import { type Bench, median, percentile, type Table } from '../table.ts';

const writerCounts = [1, 2, 4, 8, 16, 32, 64] as const;
const rounds = 7;
const roundMs = 300;
const connections = 10;

/** Appends of several writers to PostgreSQL, compared with inserts into a table without indexes. */
export const postgres: Bench = async () => {
  const title = 'PostgreSQL appends';
  const header = ['writers', 'inserts/s', 'appends/s', 'ratio', 'p99 of inserts, ms', 'p99 of appends, ms'];
  if (problem !== undefined) return { title, about: problem, header, rows: [] };
  const about = `Events of 2 kB, ${connections} connections; medians of ${rounds} rounds in turns. fsync is off, unless VARVE_TEST_POSTGRES names a server.`;
  const url = await freshUrl();
  await using store = await postgresStore({ url: `${url}&pool_size=${connections}` });
  const pool = new Pool({ connectionString: url.replace(/\?.*/, ''), max: connections });
  const table = `"${new URL(url).searchParams.get('schema') ?? ''}".bare`;
  await runSql(url, `CREATE TABLE ${table} (id text, text text)`);
  const text = `INSERT INTO ${table} (id, text) VALUES ($1, $2)`;
  const insert = async (): Promise<unknown> => {
    const { id, text: json } = event();
    return pool.query({ name: 'insert', text, values: [id, json] });
  };
  const rows: Table['rows'][number][] = [];
  for (const writers of writerCounts) {
    const created = Array.from({ length: writers }, async () => store.create(randomUUID(), {}));
    const logs = await Promise.all(created);
    const append = async (writer: number): Promise<unknown> => logs[writer]?.append([event()]);
    rows.push(await compared(writers, insert, append));
    for (const log of logs) await log[Symbol.asyncDispose]();
  }
  await pool.end();
  return { title, about, header, rows };
};

type Work = (writer: number) => Promise<unknown>;

async function compared(writers: number, insert: Work, append: Work): Promise<readonly string[]> {
  for (const work of [insert, append]) await measured(writers, work);
  const bare: Round[] = [];
  const stored: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await measured(writers, insert));
    stored.push(await measured(writers, append));
  }
  const ratio = median(stored.map(({ perSecond }, at) => perSecond / (bare[at]?.perSecond ?? Number.NaN)));
  const rates = [bare, stored].map((list) => median(list.map(({ perSecond }) => perSecond)).toFixed(0));
  const slowest = [bare, stored].map((list) => median(list.map(({ p99 }) => p99)).toFixed(2));
  return [String(writers), ...rates, `${ratio.toFixed(2)}×`, ...slowest];
}

interface Round {
  readonly perSecond: number;
  readonly p99: number;
}

/** Runs the work of each writer repeatedly for the time of a round. */
async function measured(writers: number, work: Work): Promise<Round> {
  const times: number[] = [];
  const start = performance.now();
  const write = async (writer: number): Promise<void> => {
    for (let now = performance.now(); now < start + roundMs;) {
      await work(writer);
      const end = performance.now();
      times.push(end - now);
      now = end;
    }
  };
  await Promise.all(Array.from({ length: writers }, async (_, writer) => write(writer)));
  return { perSecond: (times.length / (performance.now() - start)) * 1000, p99: percentile(times, 99) };
}

function event(): NewEvent {
  const id = randomUUID();
  const text = JSON.stringify({ id, text: randomUUID().repeat(55), kind: 'MessageEvent' });
  return { id, kind: 'MessageEvent', parentId: undefined, text };
}
