import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectedClient, problem } from '../../../../packages/storage-postgres/test/server.ts';
import { replicaGroup, type ReplicaProcess } from '../../../server/test/replica-group.ts';
import {
  conversationOf,
  createdIn,
  databaseSeconds,
  databaseUrl,
  message,
  usageOf,
  type Placed,
} from '../replica-load.ts';
import { startModelServer } from '../start-model-server.ts';
import { percentile, type Bench, type Table } from '../table.ts';

const levels = [500, 1000, 2000, 5000, 10_000] as const;
const thinkingSeconds = 120;
const holdSeconds = 20;
/** Memory of both replicas after which no more runs are started. */
const mostBytes = 4e9;

/** Runs that wait for a slow model at the same time, in two replicas with one PostgreSQL server. */
export const manyRuns: Bench = async () => {
  const title = 'Many runs';
  const names = ['runs', 'active', 'created/s', 'steps/s', 'memory', 'per run', 'replicas', 'PostgreSQL', 'commits/s'];
  const header = [...names, 'connections', 'files', 'delay p99', 'GET p50', 'GET max'];
  if (problem !== undefined) return { title, about: problem, header, rows: [] };
  using model = await startModelServer({ thinkingMs: thinkingSeconds * 1000 });
  const url = `${await databaseUrl()}?schema=many_${process.pid}`;
  await using group = await replicaGroup(url, 2, { env: { OH_MAX_CONCURRENT_RUNS: String(levels.at(-1)) } });
  await using client = await connectedClient(url);
  const body = { ...conversationOf(model.url, group.directory, 1000), initial_message: message };
  const idle = await usageOf(group.replicas);
  const rows: Table['rows'][number][] = [];
  const placed: Placed[] = [];
  for (const runs of levels) {
    const began = performance.now();
    const bodies = Array.from({ length: runs - placed.length }, () => body);
    placed.push(...(await createdIn(group.replicas, bodies)));
    const seconds = (performance.now() - began) / 1000;
    await model.requests();
    const held = await hold(group.replicas, client, placed);
    const steps = (await model.requests()).length / holdSeconds;
    rows.push([
      String(runs),
      String(held.runs),
      (bodies.length / seconds).toFixed(0),
      steps.toFixed(1),
      `${(held.bytes / 1e6).toFixed(0)} MB`,
      `${((held.bytes - idle.bytes) / runs / 1000).toFixed(0)} kB`,
      ...held.cells,
    ]);
    if (held.bytes > mostBytes) break;
  }
  const about = `Two replicas and a model that takes ${thinkingSeconds} s; ${holdSeconds} s per row, up to ${mostBytes / 1e9} GB. Processors in use by the replicas and PostgreSQL; files and delay of the event loop of one replica; requests for a conversation.`;
  return { title, about, header, rows };
};

/** Measures for some seconds what the replicas and their database use while clients read conversations. */
async function hold(replicas: readonly ReplicaProcess[], client: Client, placed: readonly Placed[]) {
  const read = async () => ({
    usage: await usageOf(replicas),
    database: await databaseSeconds(client),
    ...(await countsOf(client)),
    at: performance.now(),
  });
  const before = await read();
  const waits: number[] = [];
  for (let n = 0; performance.now() < before.at + holdSeconds * 1000; n += 1) {
    const { id, replica } = placed[(n * 7919) % placed.length] ?? placed[0] ?? { id: '' };
    const sent = performance.now();
    await replica?.json('GET', `/conversations/${id}`);
    waits.push(performance.now() - sent);
    await delay(200);
  }
  const after = await read();
  const seconds = (after.at - before.at) / 1000;
  const { runs, bytes, files, delayMs } = after.usage;
  const cells = [
    ((after.usage.processor - before.usage.processor) / seconds).toFixed(2),
    ((after.database - before.database) / seconds).toFixed(2),
    ((after.commits - before.commits) / seconds).toFixed(0),
    String(after.connections),
    String(files),
    `${delayMs.toFixed(0)} ms`,
    ...[50, 100].map((percent) => `${percentile(waits, percent).toFixed(0)} ms`),
  ];
  return { runs, bytes, cells };
}

/** Returns the commits of the database so far, and its connections. */
async function countsOf(client: Client): Promise<{ readonly commits: number; readonly connections: number }> {
  const { rows } = await client.query<{ readonly commits: string; readonly connections: number }>(
    'SELECT xact_commit AS commits, numbackends AS connections FROM pg_stat_database WHERE datname = current_database()',
  );
  return { commits: Number(rows[0]?.commits), connections: rows[0]?.connections ?? 0 };
}
