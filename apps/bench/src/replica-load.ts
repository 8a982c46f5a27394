import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { key, type ReplicaProcess } from '../../server/test/replica-group.ts';
import { startServer, testServer } from '../../../packages/storage-postgres/test/server.ts';

/** Starts a PostgreSQL server that waits for its disk, unless VARVE_TEST_POSTGRES names one, and returns its URL. */
export async function databaseUrl(): Promise<string> {
  const isNamed = process.env['VARVE_TEST_POSTGRES'] !== undefined;
  const { url } = await (isNamed ? testServer() : startServer({ fsync: 'on', max_wal_size: '1GB' }));
  return url;
}

/** A conversation of a replica. */
export interface Placed {
  readonly id: string;
  readonly replica: ReplicaProcess;
}

const headers = { 'X-Session-API-Key': key };

/** Body of a message that starts a run. */
export const message = { role: 'user', content: [{ type: 'text', text: 'Take notes.' }], run: true };

/** Returns the body of a conversation with a model and a number of steps. */
export function conversationOf(modelUrl: string, directory: string, steps: number) {
  return {
    workspace: { working_dir: directory, kind: 'LocalWorkspace' },
    agent: {
      kind: 'Agent',
      llm: { model: 'openai/bench', base_url: `${modelUrl}/v1`, api_key: 'key' },
    },
    max_iterations: steps,
    stuck_detection: false,
  };
}

/** Creates conversations in all replicas in turn, some at a time. */
export async function createdIn(
  replicas: readonly ReplicaProcess[],
  bodies: readonly object[],
  atATime = 16,
): Promise<readonly Placed[]> {
  const placed: Placed[] = [];
  const rest = bodies.entries();
  const create = async (): Promise<void> => {
    for (const [n, body] of rest) {
      const replica = replicas[n % replicas.length];
      if (!replica) throw new Error('There is no replica.');
      const { id } = await replica.json<{ readonly id: string }>('POST', '/conversations', body);
      placed.push({ id, replica });
    }
  };
  await Promise.all(Array.from({ length: atATime }, create));
  return placed;
}

/** Resources that replicas use: sums, except for the largest number of files and delay. */
export interface Usage {
  /** Active and waiting runs. */
  readonly runs: number;
  /** Seconds of processor time since the start. */
  readonly processor: number;
  /** Resident memory. */
  readonly bytes: number;
  readonly files: number;
  /** 99th percentile of the delay of the event loop since the previous call. */
  readonly delayMs: number;
}

/** Reads the measurements of replicas. */
export async function usageOf(replicas: readonly ReplicaProcess[]): Promise<Usage> {
  const texts = await Promise.all(replicas.map(async ({ url }) => (await fetch(`${url}/metrics`, { headers })).text()));
  const values = (name: string): readonly number[] =>
    texts.map((text) => {
      const lines = text.matchAll(new RegExp(String.raw`^${name}(?:\{.*\})? (\S+)$`, 'gm'));
      return [...lines].reduce((total, [, value]) => total + Number(value), 0);
    });
  const sum = (name: string): number => values(name).reduce((total, value) => total + value, 0);
  return {
    runs: sum('varve_runs'),
    processor: sum('process_cpu_seconds_total'),
    bytes: sum('process_resident_memory_bytes'),
    files: Math.max(...values('process_open_fds')),
    delayMs: Math.max(...values('nodejs_eventloop_lag_p99_seconds')) * 1000,
  };
}

/** Returns the processor time of a PostgreSQL server on this machine in seconds, with that of ended connections. */
export async function databaseSeconds(client: Client): Promise<number> {
  const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = statOf(String(rows[0]?.pid))?.parent;
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, ...statOf(pid) }));
  const ticks = processes.map(({ pid, parent, own = 0, ended = 0 }) => {
    if (pid === server) return own + ended;
    return parent === server ? own : 0;
  });
  return ticks.reduce((total, each) => total + each, 0) / ticksPerSecond;
}

const ticksPerSecond = 100;

/** Reads parent and processor times of a process: its own, and that of its ended children. */
function statOf(pid: string): { readonly parent: string; readonly own: number; readonly ended: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
    const sum = (...indexes: readonly number[]): number => indexes.reduce((total, at) => total + Number(fields[at]), 0);
    return { parent: fields[1] ?? '', own: sum(11, 12), ended: sum(13, 14) };
  } catch {
    return undefined; // It has ended.
  }
}
