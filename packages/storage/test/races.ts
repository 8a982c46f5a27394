import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { StorageError } from '../src/contract/error.ts';
import type { EventLog } from '../src/contract/log.ts';
import type { EventStore } from '../src/contract/store.ts';
import { verify } from '../src/proof/verify.ts';
import { idsOf } from '../src/testing/events.ts';
import { type Child, child } from './child.ts';

/** JavaScript expressions that open the store in the processes of a race. */
export interface Racers {
  readonly opening: string;
  /** Opens the store with a clock that runs so fast that leases expire all the time. */
  readonly fastClockOpening: string;
}

const prelude = (opening: string): string => `
  import { createInterface } from 'node:readline';
  import { setTimeout } from 'node:timers/promises';
  const event = (id) => ({ id, kind: 'K', text: JSON.stringify({ id, kind: 'K' }) });
  const id = (writer, n) => (writer * 1_000_000 + n).toString(16).padStart(8, '0');
  const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
  const nextLine = () => lines.next();
  const store = await ${opening};`;

/**
 * Starts processes that concurrently append `count` events each to conversation `c` and take the lease from each other.
 * Checks that the log has every acknowledged event at its seq, and returns the error codes that occurred.
 */
export async function race(
  store: EventStore,
  { fastClockOpening }: Racers,
  size: number,
  count: number,
): Promise<readonly string[]> {
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  const source = (writer: number): string => `${prelude(fastClockOpening)}
    console.log('ready');
    await nextLine();
    let log;
    for (let n = 0; n < ${count}; ) {
      try {
        log ??= await store.open('c');
        const [seq] = await log.append([event(id(${writer}, n))], { expectedHead: await log.head() });
        console.log(seq + ' ' + id(${writer}, n));
        n += 1;
        if (n % 3 === 0) {
          await log[Symbol.asyncDispose]();
          log = undefined;
        }
      } catch (error) {
        console.log(error.code);
        if (error.code === 'fenced') log = undefined;
        await setTimeout(Math.random() * 100);
      }
    }
    await store[Symbol.asyncDispose]();
    process.exit();`;
  const children = Array.from({ length: size }, (_, index) => child(source(index + 1)));
  for (const worker of children) assert.equal(await worker.line(), 'ready');
  for (const worker of children) worker.send('go');
  const lines = (await Promise.all(children.map(async (worker) => worker.rest()))).flat();
  const acknowledged = lines.flatMap((line) => (line.includes(' ') ? [line.split(' ')] : []));
  const reader = await store.read('c');
  const ids = await idsOf(reader.range(0));
  assert.equal(acknowledged.length, size * count);
  for (const [seq, id] of acknowledged) assert.equal(ids[Number(seq)], id);
  assert.deepEqual([new Set(ids).size, ids.length], [ids.length, size * count]);
  assert.equal((await verify(reader)).broken, undefined);
  return [...new Set(lines.filter((line) => !line.includes(' ')))];
}

/**
 * Repeatedly stops a process that appends to conversation `c` without pause, takes its lease, resumes the process, and
 * checks that it is fenced and that none of its events was stored after the takeover. `open` opens the store with a
 * clock one hour ahead.
 */
export async function takeovers(open: () => Promise<EventStore>, { opening }: Racers, rounds: number): Promise<void> {
  await using holder = child(`${prelude(opening)}
    for (let n = 0; ; ) {
      const log = await store.open('c').catch((error) => {
        if (error.code !== 'missing') throw error;
        return store.create('c', {});
      });
      console.log('holds');
      try {
        for (; ; n += 1) {
          await log.append([event(id(0, n))]);
          await setTimeout(5);
        }
      } catch (error) {
        console.log(error.code);
      }
      await log[Symbol.asyncDispose]();
      await nextLine();
    }`);
  for (let round = 0; round < rounds; round += 1) {
    assert.equal(await holder.line(), 'holds');
    await using store = await open();
    await using log = await stopAndTake(holder, store);
    const head = await log.head();
    const id = (1_000_000_000 + round).toString(16).padStart(8, '0');
    const event = { id, kind: 'K', parentId: undefined, text: JSON.stringify({ id, kind: 'K' }) };
    assert.deepEqual(await log.append([event], { expectedHead: head }), [head]);
    holder.signal('SIGCONT');
    assert.equal(await holder.line(), 'fenced');
    assert.deepEqual(await idsOf(log.range(head)), [id], 'an event was stored after the takeover');
    await log[Symbol.asyncDispose]();
    holder.send('again');
  }
}

/** Stops the process and takes its lease. If it was stopped during a commit, which locks the database, tries again. */
async function stopAndTake(holder: Child, store: EventStore): Promise<EventLog> {
  for (;;) {
    for (let turns = Math.random() * 60; turns > 0; turns -= 1) await setImmediate();
    holder.signal('SIGSTOP');
    try {
      return await store.open('c');
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'io') throw error;
      holder.signal('SIGCONT');
    }
  }
}
