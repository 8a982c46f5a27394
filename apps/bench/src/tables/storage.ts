import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EventLog, EventStore, NewEvent } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { type Bench, median, percentile } from '../table.ts';

const samples = 150;
const sizes = [1_000, 10_000, 100_000] as const;
const listed = 10_000;

/** Stores compared with the bare disk, and with themselves when nearly empty. */
export const storage: Bench = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    return {
      title: 'Storage',
      about: `Events of 2 kB, fsync; median ms of ${samples}, in turns with what they are compared with.`,
      header: ['what', 'compared with', 'that', 'this', 'ratio', 'p95 of this'],
      rows: [...(await appends(dir)), ...(await growth(dir)), ...(await listings(dir))],
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

type Row = readonly string[];

async function appends(dir: string): Promise<readonly Row[]> {
  await using sqlite = await sqliteStore({ path: join(dir, 'append.db') });
  await using directory = await directoryStore({ path: join(dir, 'append') });
  const [sqliteLog, directoryLog] = [await sqlite.create('c', {}), await directory.create('c', {})];
  const files = join(dir, 'raw');
  await mkdir(files);
  const raw = openSync(join(dir, 'raw.log'), 'a');
  const bytes = Buffer.from(event().text);
  const append = async (): Promise<void> => void (await sqliteLog.append([event()]));
  const bare = bareTable(join(dir, 'bare.db'));
  const [inserted, stored] = await inTurns(async () => bare.insert(event()), append);
  bare.close();
  const [written, again] = await inTurns(async () => {
    writeSync(raw, bytes);
    fdatasyncSync(raw);
  }, append);
  closeSync(raw);
  const [one, eight] = await inTurns(
    async () => void (await sqliteLog.append([event()])),
    async () => void (await Promise.all(Array.from({ length: 8 }, async () => sqliteLog.append([event()])))),
  );
  const [file, placed] = await inTurns(
    async () => {
      const made = await open(join(files, randomUUID()), 'wx');
      await made.writeFile(bytes);
      await made.sync();
      await made.close();
    },
    async () => void (await directoryLog.append([event()])),
  );
  return [
    row('SQLite append', 'an insert with node:sqlite', inserted, stored),
    row('SQLite append', 'writeSync and fdatasyncSync', written, again),
    row(
      'SQLite append, eight concurrent, each',
      'one',
      one,
      eight.map((ms) => ms / 8),
    ),
    row('directory append', 'a new file and fsync', file, placed),
  ];
}

/** A table of events in a database with the settings of the store, without lease, seals and facts. */
function bareTable(path: string): { insert(event: NewEvent): void; close(): void } {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE event (id TEXT, text TEXT)');
  const insert = database.prepare('INSERT INTO event (id, text) VALUES (?, ?)');
  return {
    insert: ({ id, text }) => void insert.run(id, text),
    close: () => database.close(),
  };
}

async function growth(dir: string): Promise<readonly Row[]> {
  const sqlite = await filled(join(dir, 'growth.db'), sqliteStore);
  const directory = await filled(join(dir, 'growth'), directoryStore);
  const rows = [...(await growthOf('SQLite', sqlite)), ...(await growthOf('directory', directory))];
  const [names, resumed] = await inTurns(
    async () => void readdirSync(join(dir, 'growth', 'c100000', 'events')),
    async () => resume(directory, 'c100000'),
  );
  rows.push(row('directory open, last ten, append at 100,000', 'the listing of its files', names, resumed));
  for (const store of [sqlite, directory]) await store[Symbol.asyncDispose]();
  return rows;
}

async function growthOf(name: string, store: EventStore): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const short = await store.open('c10');
  const long = await store.open('c100000');
  const [at10, at100000] = await inTurns(
    async () => void (await short.append([event()])),
    async () => void (await long.append([event()])),
  );
  rows.push(row(`${name} append at 100,000`, 'at 10', at10, at100000));
  for (const log of [short, long]) await log[Symbol.asyncDispose]();
  for (const size of sizes.slice(1)) {
    const before = heap();
    const [small, large] = await inTurns(
      async () => resume(store, 'c1000'),
      async () => resume(store, `c${size}`),
    );
    const grown = `heap +${Math.max(0, (heap() - before) / 1e6).toFixed(0)} MB`;
    const what = `${name} open, last ten, append at ${size.toLocaleString('en')} (${grown})`;
    rows.push(row(what, 'at 1,000', small, large));
  }
  return rows;
}

type OpenStore = (options: { readonly path: string; readonly durability?: 'buffered' }) => Promise<EventStore>;

async function filled(path: string, openStore: OpenStore): Promise<EventStore> {
  await fill(await openStore({ path, durability: 'buffered' }), [10, ...sizes]);
  return openStore({ path });
}

async function fill(store: EventStore, heads: readonly number[]): Promise<void> {
  for (const head of heads) {
    const log = await store.create(`c${head}`, {});
    for (let done = 0; done < head; done += 500) {
      await log.append(Array.from({ length: Math.min(500, head - done) }, () => event(200)));
    }
  }
  await store[Symbol.asyncDispose]();
}

async function resume(store: EventStore, id: string): Promise<void> {
  await using log: EventLog = await store.open(id);
  const head = await log.head();
  await Array.fromAsync(log.range(head - 10));
  await log.append([event()]);
}

async function listings(dir: string): Promise<readonly Row[]> {
  const rows = [await listing('SQLite', dir, sqliteStore), await listing('directory', dir, directoryStore)];
  const path = join(dir, 'many-directory');
  await using store = await directoryStore({ path });
  const [looked, listed20] = await inTurns(
    async () => readdirSync(path).forEach((id) => void statSync(join(path, id, 'events'), { throwIfNoEntry: false })),
    async () => void (await store.list({ limit: 20 })),
  );
  return [...rows, row('directory list 20 of 10,000', 'a look at each', looked, listed20)];
}

async function listing(name: string, dir: string, openStore: OpenStore): Promise<Row> {
  await using few = await openStore({ path: join(dir, `few-${name}`), durability: 'buffered' });
  await using many = await openStore({ path: join(dir, `many-${name}`), durability: 'buffered' });
  for (const [store, count] of [
    [few, 20],
    [many, listed],
  ] as const) {
    for (let done = 0; done < count; done += 20) {
      const made = Array.from({ length: 20 }, async () => store.create(randomUUID(), { title: 'Fix the test' }));
      for (const log of await Promise.all(made)) await log[Symbol.asyncDispose]();
    }
  }
  const [of20, of10000] = await inTurns(
    async () => void (await few.list({ limit: 20 })),
    async () => void (await many.list({ limit: 20 })),
  );
  return row(`${name} list 20 of 10,000`, 'of 20', of20, of10000);
}

/** Times of two alternating operations in milliseconds, so that other load on the machine affects both. */
async function inTurns(that: () => Promise<void>, other: () => Promise<void>): Promise<readonly [Times, Times]> {
  const times: [number[], number[]] = [[], []];
  for (let sample = 0; sample < samples; sample += 1) {
    times[0].push(await time(that));
    times[1].push(await time(other));
  }
  return times;
}

async function time(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

type Times = readonly number[];

function row(what: string, comparedWith: string, that: Times, other: Times): Row {
  const [base, own] = [median(that), median(other)];
  const ratio = `${(own / base).toFixed(2)}×`;
  return [what, comparedWith, base.toFixed(2), own.toFixed(2), ratio, percentile(other, 95).toFixed(2)];
}

function event(bytes = 2000): NewEvent {
  const id = randomUUID();
  return {
    id,
    kind: 'MessageEvent',
    parentId: undefined,
    text: JSON.stringify({ id, text: 'x'.repeat(bytes), kind: 'MessageEvent' }),
  };
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
