import { expect, test } from 'vitest';
import * as z from 'zod';
import { textOf } from '@varve/events';
import { defineFact } from '@varve/events/facts';
import { checkMessages } from '@varve/events/projections';
import type { ModelRequest } from '@varve/llm';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';
import { finish } from '@varve/tools';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { defineAgent, type Agent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';

const texts = ['a', 'b', 'c'];

/** Returns a model that reads its messages and records the texts that are not in them yet. */
function sensible(seen: ModelRequest[]): ScriptedStep {
  return (request: ModelRequest) => {
    seen.push(request);
    const messages = request.messages.map(({ content }) => textOf(content)).join('\n');
    const open = texts.filter((text) => !messages.includes(`Recorded ${text}.`));
    const unknown = messages.split('outcome').length - 1;
    const next = open.slice(Math.min(unknown, open.length));
    return next.length === 0
      ? { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] }
      : { calls: next.slice(0, 2).map((text) => ({ name: 'record', arguments: { text } })) };
  };
}

function agentWith(seen: ModelRequest[]) {
  const { tool, runs } = countingTool();
  const step = sensible(seen);
  const agent = defineAgent({
    model: scriptedModel(Array.from({ length: 20 }, () => step)),
    tools: () => [tool(), finish()],
  });
  return { agent, runs };
}

/** Runs until the store crashes or the run ends. */
async function crashed(agent: Agent, store: EventStore, id: string): Promise<boolean> {
  try {
    const conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
    await conversation.send('Record a, b and c.');
    await conversation.run();
    return false;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return true;
  }
}

const note = defineFact('varve.test.note', () => z.strictObject({ words: z.string() }));

/** Runs single steps, with facts and a new title between them, until the store crashes or the run ends. */
async function crashedBetween(agent: Agent, store: EventStore, id: string): Promise<boolean> {
  try {
    const conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
    await conversation.send('Record a, b and c.');
    for (let reason = 'paused'; reason === 'paused';) {
      ({ reason } = await conversation.step());
      await conversation.record((stamp) => note.create({ words: reason }, stamp));
      await conversation.rename(reason);
    }
    return false;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return true;
  }
}

/** Copies a store as a new process finds it: with everything that was appended, and without a lease holder. */
async function copied(store: EventStore, id: string, length = Infinity): Promise<EventStore> {
  const copy = memoryStore();
  const log = await copy.create(id, (await store.summary(id)).meta);
  for await (const stored of (await store.read(id)).range(0)) if (stored.seq < length) await log.append([stored]);
  await log[Symbol.asyncDispose]();
  return copy;
}

test.for([
  [true, 'of a run', crashed],
  [false, 'of a run', crashed],
  [true, 'of single steps and between them', crashedBetween],
  [false, 'of single steps and between them', crashedBetween],
] as const)(
  'after a crash at any append (stored: %s) %s the task finishes and no write runs twice',
  async ([stored, , work]) => {
    let crashes = 0;
    for (let at = 1; ; at++) {
      const seen: ModelRequest[] = [];
      const { agent, runs } = agentWith(seen);
      const disk = memoryStore();
      const id = `${at}`.padStart(32, '0');
      if (!(await work(agent, crashingStore(disk, { at, stored }), id))) break;
      crashes += 1;
      const survivor = await copied(disk, id);
      await using conversation = await Conversation.open({ agent, store: survivor, id });
      if (conversation.state.lastUserMessageId === undefined) await conversation.send('Record a, b and c.');
      expect(await conversation.run(), `crash at ${at}`).toMatchObject({ reason: 'finished' });
      for (const [text, count] of runs) expect(count, `${text}, crash at ${at}`).toBe(1);
      for (const request of seen) expect(checkMessages(request.messages)).toEqual([]);
      const { head } = conversation.state;
      expect(await conversation.stateAt(head)).toEqual(conversation.state);
    }
    expect(crashes).toBeGreaterThan(8);
  },
);

const concurrentAgent = (steps: readonly ScriptedStep[], { tool, runs } = countingTool()) => ({
  agent: defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()], concurrency: 2 }),
  runs,
});

const call = (text: string) => ({ name: 'record', arguments: { text } });

test('from any prefix of a log, also within an append, the task finishes and no call runs twice or after finish', async () => {
  const end = { name: 'finish', arguments: { message: 'Done.' } };
  const whole = [{ calls: [call('a'), call('b'), { name: 'nothing', arguments: {} }] }, { calls: [end, call('late')] }];
  const disk = memoryStore();
  const id = '5'.repeat(32);
  await using recorded = await Conversation.create({
    ...concurrentAgent(whole),
    store: disk,
    workspace: process.cwd(),
    id,
  });
  await recorded.send('Record a and b.');
  await recorded.run();
  for (let length = 3; length < recorded.state.head; length++) {
    const { agent, runs } = concurrentAgent([{ calls: [end] }]);
    await using conversation = await Conversation.open({ agent, store: await copied(disk, id, length), id });
    const begun = conversation.state.pending
      .filter(({ hasEffect }) => hasEffect)
      .map(({ event }) => event.tool_call_id);
    expect(await conversation.run(), `${length} events`).toMatchObject({ reason: 'finished' });
    // A second run finishes any work left by the first.
    expect(await conversation.run(), `${length} events`).toMatchObject({ reason: 'finished' });
    expect(conversation.state.pending, `${length} events`).toEqual([]);
    expect(runs.has('late'), `${length} events`).toBe(false);
    expect(runs.size, `${length} events`).toBeLessThanOrEqual(2 - begun.length);
    expect(checkMessages(conversation.request().messages)).toEqual([]);
  }
});

test('a call that may have run is not run again, and the model reads that its outcome is unknown', async () => {
  const { tool, runs } = countingTool();
  const steps: ScriptedTurn[] = [
    { calls: [{ name: 'record', arguments: { text: 'a' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
  ];
  const agent = defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()] });
  const disk = memoryStore();
  // Appends: settings, message, running, reply with the start of its call, observation. The observation is lost.
  expect(await crashed(agent, crashingStore(disk, { at: 5, stored: false }), '1'.repeat(32))).toBe(true);
  expect(runs.get('a')).toBe(1);
  await using conversation = await Conversation.open({
    agent,
    store: await copied(disk, '1'.repeat(32)),
    id: '1'.repeat(32),
  });
  await conversation.run();
  expect(runs.get('a')).toBe(1);
  const messages = conversation.request().messages.map(({ content }) => textOf(content));
  expect(messages.some((text) => text.includes('The outcome of this record call is unknown'))).toBe(true);
});

test('calls that never started are checked by the confirmation policy again before they run', async () => {
  const { tool, runs } = countingTool();
  const steps: ScriptedTurn[] = [
    { calls: ['a', 'b'].map((text) => ({ name: 'record', arguments: { text } })) },
    { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
  ];
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [tool(), finish()] });
  const disk = memoryStore();
  expect(await crashed(agent, crashingStore(disk, { at: 4, stored: true }), '2'.repeat(32))).toBe(true);
  const stricter = { ...agent, confirmation: alwaysConfirm() };
  const survivor = await copied(disk, '2'.repeat(32));
  await using conversation = await Conversation.open({ agent: stricter, store: survivor, id: '2'.repeat(32) });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect(runs.size).toBe(0);
  await conversation.approve();
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs]).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
});

test('after a crash a message precedes the calls that never started: the model reads it, and they do not run', async () => {
  const { tool, runs } = countingTool();
  const steps: ScriptedTurn[] = [
    { calls: ['a', 'b'].map((text) => ({ name: 'record', arguments: { text } })) },
    { calls: [{ name: 'finish', arguments: { message: 'Stopped.' } }], expect: 'Stop!' },
  ];
  const agent = defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()] });
  const disk = memoryStore();
  expect(await crashed(agent, crashingStore(disk, { at: 4, stored: true }), '4'.repeat(32))).toBe(true);
  const survivor = await copied(disk, '4'.repeat(32));
  await using conversation = await Conversation.open({ agent, store: survivor, id: '4'.repeat(32) });
  expect(conversation.state.pending).toHaveLength(2);
  await conversation.send('Stop!');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'Stopped.' });
  expect(runs.size).toBe(0);
});

test('an unanswered write that no reply of this log lists is never run', async () => {
  const { tool, runs } = countingTool();
  const agent = defineAgent({
    model: scriptedModel([{ calls: [{ name: 'finish', arguments: { message: 'Done.' } }] }]),
    tools: () => [tool(), finish()],
  });
  const store = memoryStore();
  const foreign = [
    '{"id":"00000001","timestamp":"2026-01-01T12:00:00.000001","source":"user","llm_message":{"role":"user","content":[],"thinking_blocks":[]},"activated_skills":[],"extended_content":[],"kind":"MessageEvent"}',
    '{"id":"00000002","timestamp":"2026-01-01T12:00:01.000000","source":"agent","parent_id":"00000001","thought":[],"thinking_blocks":[],"action":{"data":{"text":"a"},"kind":"MCPToolAction"},"tool_name":"record","tool_call_id":"call_1","tool_call":{"id":"call_1","name":"record","arguments":"{}","origin":"completion"},"llm_response_id":"reply_1","security_risk":"LOW","kind":"ActionEvent"}',
  ];
  const log = await store.create('3'.repeat(32), { workspace: process.cwd() });
  for (const [index, text] of foreign.entries()) {
    const { id, kind } = JSON.parse(text) as { id: string; kind: string };
    await log.append([{ id, kind, parentId: index === 0 ? undefined : '00000001', text }]);
  }
  await log[Symbol.asyncDispose]();
  await using conversation = await Conversation.open({ agent, store, id: '3'.repeat(32) });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(runs.size).toBe(0);
});

test('an append that fails loses nothing: the run rejects, and the next one continues', async () => {
  const { agent, runs } = agentWith([]);
  const store = memoryStore();
  let failures = 1;
  const full = wrapStore(store, {
    log: (log) => ({
      append: async (events, options) => {
        if (events.some(({ text }) => text.includes('varve.effect')) && failures-- > 0) throw new Error('disk full');
        return log.append(events, options);
      },
    }),
  });
  await using conversation = await Conversation.create({ agent, store: full, workspace: process.cwd() });
  await conversation.send('Record a, b and c.');
  await expect(conversation.run()).rejects.toThrow('disk full');
  expect(runs.size).toBe(0);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs.values()]).toEqual([1, 1, 1]);
});
