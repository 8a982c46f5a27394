import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { textOf, type BaseEvent } from '@varve/events';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore, type CrashOptions } from '../src/testing/crashing-store.ts';

const id = 'e'.repeat(32);
const forkId = 'f'.repeat(32);
const call: ScriptedTurn = { calls: [{ name: 'record', arguments: { text: 'a' } }] };
const newAgent = (steps: readonly ScriptedTurn[] = []) =>
  defineAgent({
    model: scriptedModel(steps),
    tools: () => [countingTool().tool(), finish()],
    confirmation: alwaysConfirm(),
  });

/** Returns a store with a conversation that is longer than one copied batch and has a waiting call. */
async function long(): Promise<EventStore> {
  const disk = memoryStore();
  await using conversation = await Conversation.create({
    agent: newAgent([call]),
    store: disk,
    workspace: process.cwd(),
    id,
  });
  for (let count = 0; count < 600; count += 1) await conversation.send(`Message ${count}.`);
  await conversation.run();
  return disk;
}

/** Forks the conversation in a process that crashes. */
async function forkUntil(disk: EventStore, crash: CrashOptions, workspace = process.cwd()): Promise<void> {
  await using dying = await Conversation.open({ agent: newAgent(), store: crashingStore(disk, crash), id });
  await expect(dying.fork({ id: forkId, workspace })).rejects.toThrow(Crash);
}

const textsOf = async (store: EventStore, of: string) =>
  Array.fromAsync((await store.read(of)).range(0), ({ text }) => text);
const idsOf = async (conversation: Conversation) =>
  Array.fromAsync(conversation.events(), ({ event }): BaseEvent['id'] => event.id);

test('a fork whose process dies before its first event is refused, and can be removed', async () => {
  const disk = await long();
  await forkUntil(disk, { at: 1, stored: false });
  await expect(Conversation.open({ agent: newAgent(), store: disk, id: forkId })).rejects.toMatchObject({
    code: 'incomplete',
  });
  await disk.remove(forkId);
});

test.for([
  [1, true],
  [2, true],
  [3, false],
  [3, true],
  [4, false],
  [4, true],
  [5, false],
  [5, true],
] as const)(
  'a fork whose process dies at append %i (stored: %s) is finished by the next open',
  async ([at, stored]) => {
    const disk = await long();
    const original = await textsOf(disk, id);
    await forkUntil(disk, { at, stored });
    await using fork = await Conversation.open({ agent: newAgent([call]), store: disk, id: forkId });
    const ids = await idsOf(fork);
    expect(ids.slice(1, original.length + 1)).toEqual(original.map((text) => (JSON.parse(text) as BaseEvent).id));
    expect(fork.state).toMatchObject({ status: 'idle', pending: [], stats: { total: { calls: 0 } } });
    expect((await disk.summary(forkId)).meta).not.toHaveProperty('fork');
    expect(await textsOf(disk, id)).toEqual(original);
    await fork.send('Continue.');
    await fork.run();
    await fork[Symbol.asyncDispose]();
    const before = await textsOf(disk, forkId);
    await using again = await Conversation.open({ agent: newAgent(), store: disk, id: forkId });
    expect(await textsOf(disk, forkId)).toEqual(before);
    expect(again.state.pending).toHaveLength(1);
  },
);

test('an unfinished fork of a removed conversation is reported, and can be removed', async () => {
  const disk = await long();
  await forkUntil(disk, { at: 2, stored: false });
  await disk.remove(id);
  await expect(Conversation.open({ agent: newAgent(), store: disk, id: forkId })).rejects.toMatchObject({
    code: 'incomplete',
  });
  await disk.remove(forkId);
});

test('a fork without open calls is completed too', async () => {
  const disk = memoryStore();
  await using conversation = await Conversation.create({
    agent: newAgent(),
    store: disk,
    workspace: process.cwd(),
    id,
  });
  await conversation.send('Go.');
  await using fork = await conversation.fork({ id: forkId });
  expect((await disk.summary(forkId)).meta).not.toHaveProperty('fork');
  expect(fork.state.head).toBe(5);
});

test('a fork that another process finished while it was being opened continues where that process stopped', async () => {
  const disk = await long();
  await forkUntil(disk, { at: 2, stored: false });
  // Never crashes; used only to wrap the methods, so that one of them can be delayed.
  const late: EventStore = {
    ...crashingStore(disk, { at: Infinity, stored: true }),
    open: async (of) => {
      await using other = await Conversation.open({ agent: newAgent(), store: disk, id: of });
      await other.send('Go another way.');
      await other[Symbol.asyncDispose]();
      return disk.open(of);
    },
  };
  await using fork = await Conversation.open({ agent: newAgent(), store: late, id: forkId });
  const texts = fork.request().messages.map(({ content }) => textOf(content));
  expect(texts.at(-1)).toBe('Go another way.');
});

test.for([1, 3, 4])(
  'after a crash at append %i, the model reads once that a fork has another workspace',
  async (at) => {
    const disk = await long();
    const workspace = await realpath(tmpdir());
    await forkUntil(disk, { at, stored: true }, workspace);
    const line = `The working directory is now ${workspace}, no longer ${process.cwd()}.`;
    for (const _ of [1, 2]) {
      await using fork = await Conversation.open({ agent: newAgent(), store: disk, id: forkId });
      const texts = fork.request().messages.map(({ content }) => textOf(content));
      expect(texts.filter((text) => text.startsWith(line))).toHaveLength(1);
    }
  },
);
