import assert from 'node:assert/strict';
import type { EventStore } from '../src/contract/store.ts';
import { verify } from '../src/proof/verify.ts';
import { child } from './child.ts';

/** What is killed. */
export interface KillTarget {
  /** An expression that opens the store in another process. */
  readonly opening: string;
  /** Opens it in this one. */
  readonly open: () => Promise<EventStore>;
  /** The conversation, which is made when missing. */
  readonly id: string;
}

/**
 * Lets another process append batches of three events until it is killed, somewhere after `count` acknowledgements, then
 * checks that all it acknowledged is there, in whole batches if the store promises that, that the proof holds, and that
 * the log is free at once.
 */
export async function killRound({ opening, open, id }: KillTarget, count: number): Promise<void> {
  await using writer = child(`
    const store = await ${opening};
    flushCompileCache();
    const log = await store.open('${id}').catch(() => store.create('${id}', {}));
    for (let seq = await log.head(); ; seq += 3) {
      const id = (n) => n.toString(16).padStart(8, '0');
      const event = (n) => ({ id: id(n), kind: 'K', text: JSON.stringify({ id: id(n), n, kind: 'K' }) });
      const events = [seq, seq + 1, seq + 2].map(event);
      await log.append(events, { expectedHead: seq });
      console.log(seq + 2);
    }`);
  let acknowledged = -1;
  for (let index = 0; index < count; index += 1) acknowledged = Number(await writer.line());
  await writer.kill();
  for (const line of await writer.rest()) acknowledged = Number(line);

  await using store = await open();
  await using log = await store.open(id);
  const head = await log.head();
  assert.ok(acknowledged < head, `event ${acknowledged} was acknowledged and lost; the head is ${head}`);
  if (log.atomicity === 'all') assert.equal(head % 3, 0, 'a batch is torn');
  for await (const event of log.range(0)) {
    const eventId = event.seq.toString(16).padStart(8, '0');
    assert.deepEqual([event.id, event.text], [eventId, JSON.stringify({ id: eventId, n: event.seq, kind: 'K' })]);
  }
  const { broken, sealed } = await verify(log);
  assert.deepEqual([broken, sealed], [undefined, head]);
}

/** So many processes write, each to a conversation of its own, and are killed, at the same time. */
const lanes = 4;

/** Kills of one conversation; then a new one is begun, because each round reads all of it. */
const killsPerLog = 10;

/** Kills `rounds` processes that write to one store, four at a time, and checks after each what is there. */
export async function killRounds(store: Omit<KillTarget, 'id'>, rounds: number): Promise<void> {
  const lane = async (first: number): Promise<void> => {
    for (let round = first; round < rounds; round += lanes) {
      const id = `c${first}-${Math.floor(round / lanes / killsPerLog)}`;
      await killRound({ ...store, id }, 1 + ((round * 17) % 47));
    }
  };
  await Promise.all(Array.from({ length: lanes }, async (_, first) => lane(first)));
}
