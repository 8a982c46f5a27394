import assert from 'node:assert/strict';
import type { EventStore } from '../src/contract/store.ts';
import { verify } from '../src/proof/verify.ts';
import { child } from './child.ts';

/** Store and conversation of the process to kill. */
export interface KillTarget {
  /** JavaScript expression that opens the store in another process. */
  readonly opening: string;
  /** Opens the store in this process. */
  readonly open: () => Promise<EventStore>;
  /** Id of the conversation, which is created if missing. */
  readonly id: string;
}

/**
 * Starts a process that appends batches of three events and kills it after `count` acknowledgements. Then checks that
 * all acknowledged events are stored, in whole batches if the store guarantees that, that the proof is valid, and that
 * the log can be opened immediately.
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
  assert.ok(acknowledged < head, `acknowledged event ${acknowledged} is lost; the head is ${head}`);
  if (log.atomicity === 'all') assert.equal(head % 3, 0, 'a batch is torn');
  for await (const event of log.range(0)) {
    const eventId = event.seq.toString(16).padStart(8, '0');
    assert.deepEqual([event.id, event.text], [eventId, JSON.stringify({ id: eventId, n: event.seq, kind: 'K' })]);
  }
  const { broken, sealed } = await verify(log);
  assert.deepEqual([broken, sealed], [undefined, head]);
}

/** Number of concurrent processes, each with another conversation. */
const lanes = 4;

/** Number of kills per conversation, limited because each round reads the whole log. */
const killsPerLog = 10;

/** Kills `rounds` processes that write to one store, four concurrently, and checks the log after each. */
export async function killRounds(store: Omit<KillTarget, 'id'>, rounds: number): Promise<void> {
  const lane = async (first: number): Promise<void> => {
    for (let round = first; round < rounds; round += lanes) {
      const id = `c${first}-${Math.floor(round / lanes / killsPerLog)}`;
      await killRound({ ...store, id }, 1 + ((round * 17) % 47));
    }
  };
  await Promise.all(Array.from({ length: lanes }, async (_, first) => lane(first)));
}
