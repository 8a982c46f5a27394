import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { describe, expect, test, vi } from 'vitest';
import { idsOf } from '../src/testing/events.ts';
import { agentEvent } from './agent-event.ts';
import { type Child, child } from './child.ts';
import { killRounds } from './kill-rounds.ts';

/** Options with the clock of this process. */
interface Clock {
  readonly now?: () => number;
}

const start = Date.now();

/** Holders of which others do not see whether they run, so that clocks decide. */
const unseen = `holder: { host: 'elsewhere', pid: process.pid, boot: '' }`;

const stores = {
  sqlite: {
    open: async (path: string, clock: Clock = {}) => sqliteStore({ path, busyMs: 60_000, ...clock }),
    opening: (path: string, options = ''): string =>
      `(await import('@varve/storage/sqlite')).sqliteStore({ path: ${JSON.stringify(path)}, busyMs: 60_000, ${options} })`,
    // In microseconds, leases last for less than an append takes.
    fastClock: `leaseMs: 300, now: () => Date.now() * 1000, ${unseen}`,
    appends: 100,
    codes: ['held', 'fenced'],
  },
  directory: {
    open: async (path: string, clock: Clock = {}) => directoryStore({ path, ...clock }),
    opening: (path: string, options = ''): string =>
      `(await import('@varve/storage/directory')).directoryStore({ path: ${JSON.stringify(path)}, ${options} })`,
    // With a clock a hundred times faster, leases last for a few appends; how many expire depends on the machine.
    fastClock: `leaseMs: 1000, now: () => ${start} + (Date.now() - ${start}) * 100, ${unseen}`,
    appends: 30,
    codes: ['held', 'fenced', 'conflict'],
  },
};

/** Returns the source of a child that opens a store and runs `work`, which may await `nextLine()`. */
function source(opening: string, work: string): string {
  return `
    import { createInterface } from 'node:readline';
    const event = (id) => ({ id, kind: 'K', text: JSON.stringify({ id, kind: 'K' }) });
    const store = await ${opening};
    const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
    const nextLine = () => lines.next();
    ${work}
    await store[Symbol.asyncDispose]();
    process.exit();`;
}

/** Returns a place of its own for a store. */
async function newPlace() {
  const directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  return { path: join(directory.path, 'store'), [Symbol.asyncDispose]: async () => directory.remove() };
}

const takeTurns = (name: string): string => `
  console.log('ready');
  await nextLine();
  for (let n = 0; n < 25; ) {
    const log = await store.open('c').catch((error) => console.log(error.code));
    if (!log) continue;
    const id = '${name}'.repeat(6) + String(n).padStart(2, '0');
    const [seq] = await log.append([event(id)], { expectedHead: await log.head() });
    console.log(seq + ' ' + id);
    n++;
    await log[Symbol.asyncDispose]();
  }`;

const takeOver = (name: string, appends: number): string => `
  console.log('ready');
  await nextLine();
  let log;
  for (let n = 0; n < ${appends}; ) {
    try {
      log ??= await store.open('c');
      const id = '${name}'.repeat(6) + String(n).padStart(2, '0');
      const [seq] = await log.append([event(id)], { expectedHead: await log.head() });
      console.log(seq + ' ' + id);
      n++;
    } catch (error) {
      console.log(error.code);
      if (error.code === 'fenced') log = undefined;
    }
  }`;

describe.for(Object.entries(stores))('%s', ([, { open, opening, fastClock, appends, codes }]) => {
  test('processes that open, append and close in turns write one log, and a failed open is held', async () => {
    await using place = await newPlace();
    await using store = await open(place.path);
    await (await store.create('c', {}))[Symbol.asyncDispose]();
    const lines = await race(['a', 'b'].map((name) => child(source(opening(place.path), takeTurns(name)))));
    expectOneOrder(lines, await idsOf((await store.read('c')).range(0)), 50);
    expect(new Set([...codesOf(lines), 'held'])).toEqual(new Set(['held']));
  });

  test('processes that take the lease from each other write one log, and former holders are fenced', async () => {
    await using place = await newPlace();
    await using store = await open(place.path);
    await (await store.create('c', {}))[Symbol.asyncDispose]();
    const work = (name: string): string => source(opening(place.path, fastClock), takeOver(name, appends));
    const lines = await race(['a', 'b', 'c'].map((name) => child(work(name))));
    expectOneOrder(lines, await idsOf((await store.read('c')).range(0)), 3 * appends);
    expect(codesOf(lines).filter((code) => !codes.includes(code))).toEqual([]);
  });

  test('acknowledged events survive kill -9, eight times', async () => {
    await using place = await newPlace();
    await killRounds({ opening: opening(place.path), open: async () => open(place.path) }, 8);
  });

  test('the lease of a killed holder is taken over immediately', async () => {
    await using place = await newPlace();
    await using store = await open(place.path);
    const work = `await store.create('c', {}); console.log(process.pid); await nextLine();`;
    await using holder = child(source(opening(place.path), work));
    const pid = await holder.line();
    await expect(store.open('c')).rejects.toMatchObject({ code: 'held', message: expect.stringContaining(pid) });
    await holder.kill();
    expect((await store.open('c')).epoch).toBe(2);
  });

  test('a process that runs keeps its lease from one whose clock is a day ahead', async () => {
    await using place = await newPlace();
    const work = `
      const log = await store.create('c', {});
      console.log('stored');
      await nextLine();
      console.log(await log.append([event('bbbbbbbb')]).catch((error) => error.code));`;
    await using holder = child(source(opening(place.path), work));
    expect(await holder.line()).toBe('stored');
    await using store = await open(place.path, { now: () => Date.now() + 86_400_000 });
    const error = {
      code: 'held',
      message: expect.stringMatching(/^Conversation c is held by process .*, which runs\.$/),
    };
    await expect(store.open('c')).rejects.toMatchObject(error);
    await expect(store.remove('c')).rejects.toMatchObject(error);
    holder.send('append');
    expect(await holder.line()).toBe('[ 0 ]');
    await holder.kill();
    expect((await store.open('c')).epoch).toBe(2);
  });

  test('a process that was stopped until its lease was taken over is fenced', async () => {
    await using place = await newPlace();
    const work = `
      const log = await store.create('c', {});
      await log.append([event('aaaaaaaa')]);
      console.log('stored');
      await nextLine();
      console.log(await log.append([event('bbbbbbbb')]).catch((error) => error.code));`;
    await using holder = child(source(opening(place.path), work));
    expect(await holder.line()).toBe('stored');
    holder.signal('SIGSTOP');
    await using store = await open(place.path, { now: () => Date.now() + 60_000 });
    // The system may stop it a moment later.
    const log = await vi.waitFor(async () => store.open('c'));
    holder.send('append');
    holder.signal('SIGCONT');
    expect(await holder.line()).toBe('fenced');
    expect(await log.append([agentEvent(0)])).toEqual([1]);
    expect(await idsOf(log.range(0))).toEqual(['aaaaaaaa', agentEvent(0).id]);
  });

  test('a tail sees the appends of another process', async () => {
    await using place = await newPlace();
    const ids = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'];
    const work = `
      const log = await store.create('c', {});
      for (const id of ${JSON.stringify(ids)}) {
        console.log(await log.append([event(id)]));
        await nextLine();
      }`;
    await using writer = child(source(opening(place.path), work));
    await writer.line();
    await using store = await open(place.path);
    const seen: string[] = [];
    for await (const { id } of (await store.read('c')).tail(0, AbortSignal.timeout(30_000))) {
      seen.push(id);
      writer.send('more');
      if (seen.length === ids.length) break;
    }
    expect(seen).toEqual(ids);
  });
});

async function race(children: readonly Child[]): Promise<string[]> {
  for (const other of children) await other.line();
  for (const other of children) other.send('go');
  return (await Promise.all(children.map(async (other) => other.rest()))).flat();
}

function codesOf(lines: readonly string[]): string[] {
  return lines.filter((line) => !/\d/.test(line));
}

/** Expects the acknowledgements, which are lines `<seq> <id>`, to match the log. */
function expectOneOrder(lines: readonly string[], ids: readonly string[], count: number): void {
  const acknowledged = lines.filter((line) => /\d/.test(line)).toSorted((a, b) => parseInt(a) - parseInt(b));
  expect(acknowledged).toEqual(ids.map((id, seq) => `${seq} ${id}`));
  expect(ids).toHaveLength(count);
}
