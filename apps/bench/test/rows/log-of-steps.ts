import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { NewEvent } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { writesLoop } from '../../src/loops/varve-loop.ts';
import { startModelServer } from '../../src/start-model-server.ts';

/**
 * Makes `bench.db` in a directory: a conversation of four steps, whose last complete one is repeated with new ids.
 * Returns its id. With branches, the conversation goes 20 events back after every thousand steps.
 */
export async function logOfSteps(dir: string, steps: number, hasBranches: boolean): Promise<string> {
  using server = await startModelServer();
  await writesLoop({ url: server.url, steps: 4, dir, onStep: () => undefined });
  await using store = await sqliteStore({ path: join(dir, 'bench.db'), durability: 'buffered' });
  const [summary] = (await store.list()).items;
  if (!summary) throw new Error('The store has no conversation.');
  await using log = await store.open(summary.id);
  const events = await Array.fromAsync(log.range(0));
  const [start, end] = events.flatMap(({ seq, text }) => (text.includes('"varve.call"') ? [seq] : [])).slice(-2);
  const step = events.slice(start, end);
  const movers: string[] = [];
  let parent = events.at(-1)?.id ?? '';
  for (let count = 0; count < steps; count += 1) {
    const changes = [
      ...step.map(({ id }) => [id, randomUUID()] as const),
      [step[0]?.parentId ?? '', parent],
      ['call_3', `call_x${count}`],
      ['reply-3', `reply-x${count}`],
      // Requests of another usage are not rebuilt by `varve verify`: their digests are those of the copied step.
      ['"usage_id":"agent"', '"usage_id":"copy"'],
    ] as const;
    const copies = step.map((event): NewEvent => {
      const text = changes.reduce((all, [from, to]) => all.replaceAll(from, to), event.text);
      const { id, parent_id: parentId } = JSON.parse(text) as { readonly id: string; readonly parent_id: string };
      return { id, kind: event.kind, parentId, text };
    });
    await log.append(copies);
    movers.push(...copies.filter(({ kind }) => kind !== 'ConversationStateUpdateEvent').map(({ id }) => id));
    const back = hasBranches && count % 1000 === 999 ? -20 : -1;
    parent = movers.at(back) ?? parent;
  }
  return summary.id;
}
