import assert from 'node:assert/strict';
import type { EventStore } from '../store.ts';
import { child } from './child.ts';

/**
 * Lets another process append batches of three events to conversation `c` until it is killed, somewhere after `count`
 * acknowledgements, then checks that all it acknowledged is there, in whole batches if the store promises that, and that
 * the log is free at once.
 *
 * @param opening an expression that opens the store in the other process
 */
export async function killRound(opening: string, count: number, open: () => Promise<EventStore>): Promise<void> {
  await using writer = child(`
    const store = await ${opening};
    const log = await store.open('c').catch(() => store.create('c', {}));
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
  await using log = await store.open('c');
  const head = await log.head();
  assert.ok(acknowledged < head, `event ${acknowledged} was acknowledged and lost; the head is ${head}`);
  if (log.atomicity === 'all') assert.equal(head % 3, 0, 'a batch is torn');
  for await (const { seq, id, text } of log.range(0)) {
    assert.equal(id, seq.toString(16).padStart(8, '0'));
    assert.equal(text, JSON.stringify({ id, n: seq, kind: 'K' }));
  }
}
