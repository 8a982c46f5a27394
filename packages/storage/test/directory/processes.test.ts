import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { idsOf } from '../../src/testing/events.ts';
import { agentEvent } from '../agent-event.ts';
import { type Child, child } from '../child.ts';
import { killRounds } from '../kill-rounds.ts';

/** Returns the source of a child that opens the store and runs `work`, which may await `nextLine()`. */
function source(path: string, work: string, options = ''): string {
  return `
    import { createInterface } from 'node:readline';
    import { directoryStore } from '@varve/storage/directory';
    const event = (id) => ({ id, kind: 'K', text: JSON.stringify({ id, kind: 'K' }) });
    const store = await directoryStore({ path: ${JSON.stringify(path)}, ${options} });
    const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
    const nextLine = () => lines.next();
    ${work}
    await store[Symbol.asyncDispose]();
    process.exit();`;
}

/** Timeout for several processes that share one disk, perhaps on a busy machine. */

const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));

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

test('processes that open, append and close in turns write one log, and a failed open is held', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await using store = await directoryStore({ path });
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  const lines = await race(['a', 'b'].map((name) => child(source(path, takeTurns(name)))));
  expectOneOrder(lines, await idsOf((await store.read('c')).range(0)), 50);
  expect(new Set([...codesOf(lines), 'held'])).toEqual(new Set(['held']));
});

const takeOver = (name: string): string => `
  console.log('ready');
  await nextLine();
  let log;
  for (let n = 0; n < 30; ) {
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

test('processes that take the lease from each other write one log', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await using store = await directoryStore({ path });
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  // With a clock a hundred times faster, leases last for a few appends; how many expire depends on the machine.
  const start = Date.now();
  const options = `leaseMs: 1000, now: () => ${start} + (Date.now() - ${start}) * 100`;
  const lines = await race(['a', 'b', 'c'].map((name) => child(source(path, takeOver(name), options))));
  expectOneOrder(lines, await idsOf((await store.read('c')).range(0)), 90);
  const expected = new Set(['held', 'fenced', 'conflict']);
  expect(codesOf(lines).filter((code) => !expected.has(code))).toEqual([]);
});

test('acknowledged events survive kill -9, twenty times', async () => {
  await using directory = await temporary();
  const { path } = directory;
  const opening = `(await import('@varve/storage/directory')).directoryStore({ path: ${JSON.stringify(path)} })`;
  await killRounds({ opening, open: async () => directoryStore({ path }) }, 20);
});

test('the lease of a killed holder is taken over immediately', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await using store = await directoryStore({ path });
  await using holder = child(source(path, `await store.create('c', {}); console.log(process.pid); await nextLine();`));
  const pid = await holder.line();
  await expect(store.open('c')).rejects.toMatchObject({ code: 'held', message: expect.stringContaining(pid) });
  await holder.kill();
  expect((await store.open('c')).epoch).toBe(2);
});

test('a process that was stopped until its lease was taken over is fenced', async () => {
  await using directory = await temporary();
  const { path } = directory;
  const work = `
    const log = await store.create('c', {});
    await log.append([event('aaaaaaaa')]);
    console.log('stored');
    await nextLine();
    const append = [event('bbbbbbbb')];
    console.log(await log.append(append).catch((error) => error.code));`;
  await using holder = child(source(path, work));
  expect(await holder.line()).toBe('stored');
  holder.signal('SIGSTOP');
  await using store = await directoryStore({ path, now: () => Date.now() + 60_000 });
  const log = await store.open('c');
  holder.send('append');
  holder.signal('SIGCONT');
  expect(await holder.line()).toBe('fenced');
  expect(await log.append([agentEvent(0)])).toEqual([1]);
  expect(await idsOf(log.range(0))).toEqual(['aaaaaaaa', agentEvent(0).id]);
});

test('a tail sees the appends of another process', async () => {
  await using directory = await temporary();
  const { path } = directory;
  const work = `
    const log = await store.create('c', {});
    for (const id of ['aaaaaaaa', 'bbbbbbbb', 'cccccccc']) {
      console.log(await log.append([event(id)]));
      await nextLine();
    }`;
  await using writer = child(source(path, work));
  await writer.line();
  await using store = await directoryStore({ path });
  const seen: string[] = [];
  for await (const { id } of (await store.read('c')).tail(0, AbortSignal.timeout(30_000))) {
    seen.push(id);
    writer.send('more');
    if (seen.length === 3) break;
  }
  expect(seen).toEqual(['aaaaaaaa', 'bbbbbbbb', 'cccccccc']);
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
