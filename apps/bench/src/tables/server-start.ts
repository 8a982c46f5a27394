import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
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

/** Arguments of Node for the command, and its environment. */
interface Form {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const built = pathOf('../../../cli/dist/main.js');
const sources = { name: 'sources', args: ['--conditions=@varve/source', pathOf('../../../cli/src/main.ts')] };
const forms: readonly Form[] = existsSync(built)
  ? [
      sources,
      { name: 'built', args: [built] },
      // The size of V8's young generation that the command replaces by a smaller one.
      { name: 'built, 32 MB', args: [built], env: { NODE_OPTIONS: '--max-semi-space-size=32' } },
    ]
  : [sources];

/** Times until a server of many conversations is ready and lists them, and its memory afterwards. */
export const serverStart: Bench = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    const stores = [`memory:`, `sqlite:${join(dir, 'sqlite')}`, `dir:${join(dir, 'dir')}`];
    await fill(await sqliteStore({ path: join(dir, 'sqlite'), durability: 'buffered' }), conversations);
    await fill(await directoryStore({ path: join(dir, 'dir'), durability: 'buffered' }), conversations);
    const rows: (readonly string[])[] = [];
    for (const form of forms) for (const store of stores) rows.push(await row(store, form, dir));
    return {
      title: 'Start of the server',
      about: `\`varve serve\` with ${conversations} conversations of 3 events; median of ${rounds} starts.`,
      header: ['form', 'store', 'to /ready', 'processor time', 'first page of 20', 'resident', 'after listing all'],
      rows,
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

async function row(store: string, form: Form, dir: string): Promise<readonly string[]> {
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await measured(store, form, dir));
  const value = (field: keyof Start): number => median(starts.map((start) => start[field]));
  const ms = (field: keyof Start): string => `${value(field).toFixed(0)} ms`;
  const mb = (field: keyof Start): string => `${(value(field) / 1e6).toFixed(0)} MB`;
  const scheme = store.split(':')[0] ?? '';
  return [form.name, scheme, ms('ready'), ms('processor'), ms('page'), mb('memory'), mb('listed')];
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
  readonly processor: number;
  readonly page: number;
  readonly memory: number;
  readonly listed: number;
}

async function measured(store: string, { args, env }: Form, home: string): Promise<Start> {
  const began = performance.now();
  const child = spawn(process.execPath, [...args, 'serve', '--port', '0', '--store', store, '--log-level', 'silent'], {
    env: { PATH: process.env['PATH'], HOME: home, VARVE_SESSION_API_KEY: key, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const url = await addressOf(child);
    while (!(await fetch(`${url}/ready`)).ok);
    const ready = performance.now() - began;
    const processor = await processorMs(child);
    const asked = performance.now();
    await list(url, 'limit=20&sort_order=UPDATED_AT_DESC');
    const page = performance.now() - asked;
    const memory = await residentBytes(child);
    await list(url, 'limit=100&sort_order=CREATED_AT');
    return { ready, processor, page, memory, listed: await residentBytes(child) };
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

/** Returns the processor time of a process as the kernel of Linux counts it, in hundredths of a second. */
async function processorMs({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}
