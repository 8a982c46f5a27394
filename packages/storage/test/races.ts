import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { StorageError } from '../src/contract/error.ts';
import type { EventLog } from '../src/contract/log.ts';
import type { EventStore } from '../src/contract/store.ts';
import { verify } from '../src/proof/verify.ts';
import { idsOf } from '../src/testing/events.ts';
import { type Child, child } from './child.ts';

/** How the processes of a race get at the store, each as an expression. */
export interface Racers {
  readonly opening: string;
  /** With a clock that runs so fast that leases run out all the time. */
  readonly hastyOpening: string;
}

const prelude = (opening: string): string => `
  import { createInterface } from 'node:readline';
  import { setTimeout } from 'node:timers/promises';
  const event = (id) => ({ id, kind: 'K', text: JSON.stringify({ id, kind: 'K' }) });
  const id = (who, n) => (who * 1_000_000 + n).toString(16).padStart(8, '0');
  const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
  const told = () => lines.next();
  const store = await ${opening};`;

/**
 * Lets processes append to conversation `c` all at once, each `count` events, taking the lease from each other, and
 * checks that they made one log with everything that was acknowledged, at its place. Gives the codes that losers got.
 */
export async function race(
  store: EventStore,
  { hastyOpening }: Racers,
  size: number,
  count: number,
): Promise<readonly string[]> {
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  const source = (who: number): string => `${prelude(hastyOpening)}
    console.log('ready');
    await told();
    let log;
    for (let n = 0; n < ${count}; ) {
      try {
        log ??= await store.open('c');
        const [seq] = await log.append([event(id(${who}, n))], { expectedHead: await log.head() });
        console.log(seq + ' ' + id(${who}, n));
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
  const children = Array.from({ length: size }, (_, who) => child(source(who + 1)));
  for (const one of children) assert.equal(await one.line(), 'ready');
  for (const one of children) one.tell('go');
  const lines = (await Promise.all(children.map(async (one) => one.rest()))).flat();
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
 * Stops a process that appends to conversation `c` without pause, takes its lease, lets it go on, and checks that it is
 * fenced and that nothing of it came late; again and again. `open` opens the store an hour later.
 */
export async function takeovers(open: () => Promise<EventStore>, { opening }: Racers, rounds: number): Promise<void> {
  await using holder = child(`${prelude(opening)}
    for (let n = 0; ; ) {
      const log = await store.open('c').catch(() => store.create('c', {}));
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
      await told();
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
    assert.deepEqual(await idsOf(log.range(head)), [id], 'an event came late');
    await log[Symbol.asyncDispose]();
    holder.tell('again');
  }
}

/** A process that is stopped while it commits keeps a database locked: it goes on for a moment and is stopped again. */
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
