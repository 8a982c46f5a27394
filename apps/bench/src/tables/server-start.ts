import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { directoryStore } from '@varve/storage/directory';
import type { EventStore, NewEvent } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { type Bench, median } from '../table.ts';

const conversations = 2_000;
const rounds = 5;
const key = 'key-of-the-bench';

/** Times until a server of many conversations is ready and lists them, and its memory afterwards. */
export const serverStart: Bench = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    return {
      title: 'Start of the server',
      about: `\`varve serve\` with ${conversations} conversations of 3 events; median of ${rounds} starts.`,
      header: ['store', 'process to /ready', 'first page of 20', 'resident memory', 'after listing all'],
      rows: [
        await row(dir, 'memory:', 0),
        await row(dir, 'sqlite:', conversations),
        await row(dir, 'dir:', conversations),
      ],
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

async function row(dir: string, scheme: 'memory:' | 'sqlite:' | 'dir:', count: number): Promise<readonly string[]> {
  const path = join(dir, scheme.slice(0, -1));
  if (scheme === 'sqlite:') await fill(await sqliteStore({ path, durability: 'buffered' }), count);
  if (scheme === 'dir:') await fill(await directoryStore({ path, durability: 'buffered' }), count);
  const store = scheme === 'memory:' ? scheme : `${scheme}${path}`;
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await measured(store, dir));
  const value = (field: keyof Start): number => median(starts.map((start) => start[field]));
  const ms = (field: keyof Start): string => `${value(field).toFixed(0)} ms`;
  const mb = (field: keyof Start): string => `${(value(field) / 1e6).toFixed(0)} MB`;
  return [scheme === 'memory:' ? 'none' : scheme.slice(0, -1), ms('ready'), ms('page'), mb('memory'), mb('listed')];
}

async function fill(opened: EventStore, count: number): Promise<void> {
  await using store = opened;
  for (let index = 0; index < count; index += 1) {
    await using log = await store.create(index.toString(16).padStart(32, '0'), { title: `Conversation ${index}` });
    await log.append([0, 1, 2].map((place) => message(index, place)));
  }
}

function message(index: number, place: number): NewEvent {
  const id = `00000000-0000-4000-8000-${String(index * 10 + place).padStart(12, '0')}`;
  const llm_message = { role: 'user', content: [{ type: 'text', text: 'x'.repeat(500) }] };
  const event = { id, timestamp: '2026-11-20T23:39:20.680056', source: 'user', llm_message, kind: 'MessageEvent' };
  return { id, kind: event.kind, parentId: undefined, text: JSON.stringify(event) };
}

/** Times in milliseconds, memory in bytes. */
interface Start {
  readonly ready: number;
  readonly page: number;
  readonly memory: number;
  readonly listed: number;
}

async function measured(store: string, home: string): Promise<Start> {
  const main = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));
  const began = performance.now();
  const child = spawn(
    process.execPath,
    ['--conditions=@varve/source', main, 'serve', '--port', '0', '--store', store, '--log-level', 'silent'],
    { env: { PATH: process.env['PATH'], HOME: home, VARVE_SESSION_API_KEY: key }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  try {
    const url = await addressOf(child);
    while (!(await fetch(`${url}/ready`)).ok);
    const ready = performance.now() - began;
    await list(url, 'limit=20&sort_order=UPDATED_AT_DESC');
    const page = performance.now() - began - ready;
    const memory = await residentBytes(child);
    await list(url, 'limit=100&sort_order=CREATED_AT');
    return { ready, page, memory, listed: await residentBytes(child) };
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

async function list(url: string, query: string): Promise<void> {
  const headers = { 'X-Session-API-Key': key };
  const response = await fetch(`${url}/api/conversations/search?${query}`, { headers });
  if (!response.ok) throw new Error(`The search failed with ${response.status}.`);
  await response.arrayBuffer();
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of stderr ?? []) {
    printed += String(chunk);
    const url = /serves (\S+)/.exec(printed)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`The server did not start: ${printed}`);
}

/** Returns the memory of a process as the kernel of Linux reports it. */
async function residentBytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
