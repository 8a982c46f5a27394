import { setTimeout as delay } from 'node:timers/promises';
import { connectedClient, countRows, problem } from '../../../../packages/storage-postgres/test/server.ts';
import { replicaGroup } from '../../../server/test/replica-group.ts';
import {
  conversationOf,
  createdIn,
  databaseSeconds,
  databaseUrl,
  message,
  usageOf,
  type Usage,
} from '../replica-load.ts';
import { startModelServer } from '../start-model-server.ts';
import { median, type Bench } from '../table.ts';

const conversations = 40;
const steps = 40;
const rounds = 3;
const groupSizes = [1, 2, 3] as const;

/** Steps of one, two and three replicas with one PostgreSQL server, and the processor time of both. */
export const replicas: Bench = async () => {
  const title = 'Replicas';
  const header = ['replicas', 'steps/s', 'ratio', 'replicas per step', 'PostgreSQL per step', 'events per step'];
  if (problem !== undefined) return { title, about: problem, header, rows: [] };
  const samples = new Map<number, Sample[]>();
  using model = await startModelServer();
  const database = await databaseUrl();
  for (let round = 0; round < rounds; round += 1) {
    for (const size of groupSizes) {
      const url = `${database}?schema=replicas_${process.pid}_${round}_${size}`;
      samples.set(size, [...(samples.get(size) ?? []), await measured(url, size, model.url)]);
    }
  }
  const base = medianOf(samples.get(1) ?? [], 'rate');
  return {
    title,
    about: `${conversations} conversations with ${steps} steps each, a model without delay, fsync; medians of ${rounds} rounds in turns.`,
    header,
    rows: [...samples].map(([size, all]) => [
      String(size),
      medianOf(all, 'rate').toFixed(0),
      `${(medianOf(all, 'rate') / base).toFixed(2)}×`,
      `${medianOf(all, 'replicaMs').toFixed(2)} ms`,
      `${medianOf(all, 'databaseMs').toFixed(2)} ms`,
      medianOf(all, 'events').toFixed(2),
    ]),
  };
};

interface Sample {
  /** Steps per second. */
  readonly rate: number;
  /** Milliseconds of processor time per step. */
  readonly replicaMs: number;
  readonly databaseMs: number;
  /** Stored events per step. */
  readonly events: number;
}

async function measured(url: string, size: number, modelUrl: string): Promise<Sample> {
  await using group = await replicaGroup(url, size, { env: { OH_MAX_CONCURRENT_RUNS: String(conversations) } });
  await using client = await connectedClient(url);
  const body = conversationOf(modelUrl, group.directory, steps);
  const placed = await createdIn(
    group.replicas,
    Array.from({ length: conversations }, () => body),
  );
  const run = async (): Promise<Usage> => {
    const sent = placed.map(async ({ id, replica }) => replica.json('POST', `/conversations/${id}/events`, message));
    await Promise.all(sent);
    for (;;) {
      const usage = await usageOf(group.replicas);
      if (usage.runs === 0) return usage;
      await delay(100);
    }
  };
  // The first steps of a process are compiled, and take several times as long.
  const before = await run();
  const stored = await countRows(url, 'event');
  const database = await databaseSeconds(client);
  const began = performance.now();
  const after = await run();
  const seconds = (performance.now() - began) / 1000;
  const count = conversations * steps;
  return {
    rate: count / seconds,
    replicaMs: ((after.processor - before.processor) * 1000) / count,
    databaseMs: (((await databaseSeconds(client)) - database) * 1000) / count,
    events: ((await countRows(url, 'event')) - stored) / count,
  };
}

function medianOf(samples: readonly Sample[], field: keyof Sample): number {
  return median(samples.map((sample) => sample[field]));
}
