import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineFact } from '@varve/events/facts';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

class Failure extends Error {}

type Method = (...args: unknown[]) => unknown;

/** A store whose `at`th call, of the store or of its logs, fails before or after it takes effect. */
function failingStore(disk: EventStore, at: number, when: 'before' | 'after') {
  const calls: string[] = [];
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name);
        if (typeof value === 'object' && value !== null) return wrap(value);
        if (typeof value !== 'function') return value;
        const method = value as Method;
        return (...args: unknown[]) => {
          const isHit = calls.push(String(name)) === at;
          const failure = new Failure(`Call ${at}, ${String(name)}, failed ${when} it took effect.`);
          if (name === 'range') return failing(method.apply(object, args) as AsyncIterable<unknown>, isHit, failure);
          return (async () => {
            if (isHit && when === 'before') throw failure;
            const result = await method.apply(object, args);
            if (isHit) throw failure;
            return typeof result === 'object' && result !== null && 'append' in result ? wrap(result) : result;
          })();
        };
      },
    });
  async function* failing(events: AsyncIterable<unknown>, isHit: boolean, failure: Failure) {
    if (isHit && when === 'before') throw failure;
    yield* events;
    if (isHit) throw failure;
  }
  return { store: wrap(disk), calls };
}

const turns: readonly ScriptedTurn[] = [
  { calls: [{ name: 'record', arguments: { text: 'a' } }] },
  { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
];
const note = defineFact('varve.test.note', () => z.strictObject({ words: z.string() }));
const [id, forkId] = ['1'.repeat(32), '2'.repeat(32)];

function agentOf() {
  const model = scriptedModel([...turns, ...turns, ...turns]);
  return { model, agent: defineAgent({ model, tools: () => [countingTool().tool(), finish()] }) };
}

/** Uses a conversation in the usual ways until a call of the store fails. */
async function work(store: EventStore): Promise<void> {
  const { agent } = agentOf();
  {
    await using conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
    await conversation.send('Go.');
    await conversation.run();
    await conversation.record(
      ...Array.from(
        { length: 100 },
        () => (stamp: Parameters<typeof note.create>[1]) => note.create({ words: 'x' }, stamp),
      ),
    );
  }
  await using conversation = await Conversation.open({ agent, store, id });
  await using fork = await conversation.fork({ id: forkId, at: conversation.state.view.events[1]?.id ?? '' });
  await fork.run();
  await conversation.navigate(conversation.state.view.events[1]?.id);
  await conversation.run();
}

/** The store as a new process opens it, without leases. */
async function copied(disk: EventStore): Promise<EventStore> {
  const copy = memoryStore();
  for (const { id: itemId, meta } of (await disk.list()).items) {
    await using log = await copy.create(itemId, meta);
    for await (const stored of (await disk.read(itemId)).range(0)) await log.append([stored]);
  }
  return copy;
}

test.for(['before', 'after'] as const)(
  'whichever call of the store fails %s its work, the next process continues',
  async (when) => {
    const failed = new Set<string>();
    for (let at = 1; ; at++) {
      const disk = memoryStore();
      const { store, calls } = failingStore(disk, at, when);
      await work(store).catch((error: unknown) => {
        if (!(error instanceof Failure || error instanceof SuppressedError)) throw error;
      });
      if (calls.length < at) break;
      failed.add(calls[at - 1] ?? '');
      const survivor = await copied(disk);
      for (const { id: itemId } of (await survivor.list()).items) {
        const { agent, model } = agentOf();
        // A fork without its first event is refused.
        if (itemId === forkId && (await (await survivor.read(itemId)).head()) === 0) continue;
        await using conversation = await Conversation.open({ agent, store: survivor, id: itemId });
        await conversation.send('Continue.');
        expect(await conversation.run(), `${at}: ${calls[at - 1]}`).toMatchObject({ reason: 'finished' });
        for (const { messages } of model.requests) expect(checkMessages(messages)).toEqual([]);
      }
    }
    for (const name of ['create', 'open', 'summary', 'range', 'at', 'seqOf', 'append', 'latest', 'save'])
      expect(failed).toContain(name);
  },
);

test('the listing is updated again after an append that was stored although it failed', async () => {
  const disk = memoryStore();
  let isLost = false;
  const store = aroundAppends(disk, async (append) => {
    const seqs = await append();
    if (isLost) throw new Failure('The answer was lost.');
    return seqs;
  });
  const { agent } = agentOf();
  await using conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
  await conversation.send('Go.');
  isLost = true;
  await expect(conversation.run()).rejects.toThrow('lost');
  isLost = false;
  expect((await disk.summary(id)).meta).toMatchObject({ status: 'running' });
  await conversation.navigate(conversation.state.view.events[0]?.id);
  expect(conversation.state.status).toBe('idle');
  expect((await disk.summary(id)).meta).toMatchObject({ status: 'idle' });
});
