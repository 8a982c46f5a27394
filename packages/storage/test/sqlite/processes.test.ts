import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { type Child, child } from '../child.ts';
import { killRounds } from '../kill-rounds.ts';
import { idsOf, newEvent } from '../../src/testing/events.ts';

/** Opens the store in a child process that runs `work` on request. */
function source(path: string, work: string, options = ''): string {
  return `
    import { once } from 'node:events';
    import { sqliteStore } from '@varve/storage/sqlite';
    const event = (id) => ({ id, kind: 'K', text: JSON.stringify(id) });
    const store = await sqliteStore({ path: ${JSON.stringify(path)}, busyMs: 60_000, ${options} });
    const command = () => once(process.stdin, 'data');
    ${work}
    await store[Symbol.asyncDispose]();
    process.exit();`;
}

const opening = (path: string): string =>
  `(await import('@varve/storage/sqlite')).sqliteStore({ path: ${JSON.stringify(path)}, busyMs: 60_000 })`;

/** Several processes share one disk, and perhaps a busy machine. */

const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));

const takeTurns = (name: string): string => `
  console.log('ready');
  await command();
  for (let n = 0; n < 25; ) {
    const log = await store.open('c').catch((error) => console.log(error.code));
    if (!log) continue;
    const [seq] = await log.append([event('${name}' + n)], { expectedHead: await log.head() });
    console.log(seq + ' ${name}' + n++);
    await log[Symbol.asyncDispose]();
  }`;

test('processes that open, append and close in turns write one log, and a failed open is held', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  const lines = await race(['a', 'b'].map((name) => child(source(path, takeTurns(name)))));
  expectOneOrder(lines, await idsOf((await store.read('c')).range(0)), 50);
  expect(new Set([...codesOf(lines), 'held'])).toEqual(new Set(['held']));
});

const takeOver = (name: string): string => `
  console.log('ready');
  await command();
  let log;
  for (let n = 0; n < 100; ) {
    try {
      log ??= await store.open('c');
      const [seq] = await log.append([event('${name}' + n)], { expectedHead: await log.head() });
      console.log(seq + ' ${name}' + n++);
    } catch (error) {
      console.log(error.code);
      if (error.code === 'fenced') log = undefined;
    }
  }`;

test('processes that take the lease from each other write one log, and former holders are fenced', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  // In microseconds, leases last for less than an append takes.
  const options = 'leaseMs: 300, now: () => Date.now() * 1000';
  const lines = await race(['a', 'b', 'c'].map((name) => child(source(path, takeOver(name), options))));
  expectOneOrder(lines, await idsOf((await store.read('c')).range(0)), 300);
  expect(new Set([...codesOf(lines), 'held', 'fenced'])).toEqual(new Set(['held', 'fenced']));
});

test('acknowledged events survive kill -9, twenty times', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  const open = async () => sqliteStore({ path, busyMs: 60_000 });
  await killRounds({ opening: opening(path), open }, 20);
});

test('the lease of a killed holder is taken over immediately', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  await using holder = child(source(path, `await store.create('c', {}); console.log(process.pid); await command();`));
  const pid = await holder.line();
  await expect(store.open('c')).rejects.toMatchObject({ code: 'held', message: expect.stringContaining(pid) });
  await holder.kill();
  const log = await store.open('c');
  expect(log.epoch).toBe(2);
});

test('a process that was stopped until its lease was taken over is fenced', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  const work = `
    const log = await store.create('c', {});
    await log.append([event('a')]);
    console.log('stored');
    await command();
    console.log(await log.append([event('b')]).catch((error) => error.code));`;
  await using holder = child(source(path, work));
  expect(await holder.line()).toBe('stored');
  holder.signal('SIGSTOP');
  await using store = await sqliteStore({ path, now: () => Date.now() + 60_000 });
  const log = await store.open('c');
  holder.send('append');
  holder.signal('SIGCONT');
  expect(await holder.line()).toBe('fenced');
  expect(await log.append([newEvent('c')])).toEqual([1]);
});

test('a tail sees the appends of another process', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  const work = `
    const log = await store.create('c', {});
    for (let n = 0; n < 3; n++) {
      console.log(await log.append([event('e' + n)]));
      await command();
    }`;
  await using writer = child(source(path, work));
  await writer.line();
  await using store = await sqliteStore({ path });
  const seen: string[] = [];
  for await (const { id } of (await store.read('c')).tail(0, AbortSignal.timeout(30_000))) {
    seen.push(id);
    writer.send('more');
    if (seen.length === 3) break;
  }
  expect(seen).toEqual(['e0', 'e1', 'e2']);
});

async function race(children: readonly Child[]): Promise<string[]> {
  for (const other of children) await other.line();
  for (const other of children) other.send('go');
  return (await Promise.all(children.map(async (other) => other.rest()))).flat();
}

function codesOf(lines: readonly string[]): string[] {
  return lines.filter((line) => !/\d/.test(line));
}

/** Lines `<seq> <id>` are acknowledgements: together they must be the log. */
function expectOneOrder(lines: readonly string[], ids: readonly string[], count: number): void {
  const acknowledged = lines.filter((line) => /\d/.test(line)).toSorted((a, b) => parseInt(a) - parseInt(b));
  expect(acknowledged).toEqual(ids.map((id, seq) => `${seq} ${id}`));
  expect(ids).toHaveLength(count);
}
