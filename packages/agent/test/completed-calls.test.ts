import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import type { ModelRequest } from '@varve/llm';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { defineTool, finish, think } from '@varve/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';
import { dies } from './kill-process.ts';
import { work } from './mortal-job.ts';

const workspace = process.cwd();
const id = '7'.repeat(32);
const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys.',
  input: z.object({ place: z.string().describe('Where.') }),
  effect: 'write',
  completesLater: true,
  execute: async ({ place }) => `Deploying to ${place}.`,
});
const start: ScriptedTurn = { calls: [{ name: 'deploy', arguments: { place: 'Oslo' } }] };
const live = 'It is live.';

function agentOf(steps: readonly ScriptedStep[], options: Partial<Parameters<typeof defineAgent>[0]> = {}) {
  return defineAgent({ model: scriptedModel(steps), tools: () => [deploy, think(), finish()], ...options });
}

const textsOf = ({ messages }: ModelRequest) => messages.map(({ content }) => textOf(content));
const timesLive = (request: ModelRequest) => textsOf(request).filter((words) => words.includes(live)).length;

async function callOf(conversation: Conversation, name = 'deploy'): Promise<string> {
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  return events.filter((event) => ActionEvent.is(event)).find((event) => event.tool_name === name)?.id ?? '';
}

test('a tool answers now, and its result is a message that the next run reads, once', async () => {
  const agent = agentOf([start, { text: 'It is being deployed.' }, { text: 'It is deployed.' }]);
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  await conversation.send('Deploy to Oslo.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'It is being deployed.' });
  expect(textsOf(conversation.request())).toContain('Deploying to Oslo.');
  expect(conversation.request().tools[0]?.description).toContain('its result follows in a message');
  const call = await callOf(conversation);
  expect(await conversation.complete(call, live)).toBe(true);
  const { head, status } = conversation.state;
  expect(status).toBe('idle');
  expect(await Promise.all([conversation.complete(call, live), conversation.complete(call, 'Other.')])).toEqual([
    false,
    false,
  ]);
  expect(conversation.state.head).toBe(head);
  expect(textsOf(conversation.request()).at(-1)).toMatch(/^This is the result .* deploy .*Oslo.*It is live\.$/s);
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'It is deployed.' });
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  expect(events.filter((event) => MessageEvent.is(event)).map(({ sender }) => sender)).toContain('deploy');
});

test('a result that arrives while the model writes its last reply is read before the run ends', async () => {
  const completing: ScriptedStep = async () => {
    await conversation.complete(await callOf(conversation), live);
    return { text: 'I wait.' };
  };
  const agent = agentOf([start, completing, { text: 'Deployed.' }]);
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  await conversation.send('Deploy to Oslo.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'Deployed.' });
});

test('a result neither approves nor rejects calls that wait', async () => {
  const agent = agentOf([start, start, { text: 'Deployed.' }], { confirmation: alwaysConfirm() });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  await conversation.send('Deploy to Oslo.');
  await conversation.run();
  await conversation.approve();
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  await conversation.complete(await callOf(conversation), live);
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect(conversation.state.pending).toHaveLength(1);
  await conversation.approve();
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  const request = conversation.request();
  expect([timesLive(request), checkMessages(request.messages)]).toEqual([1, []]);
});

test.for([1, 2, 3, Infinity])(
  'the result of a call with changed arguments names these and its own, also after a crash at append %s',
  async (at) => {
    const disk = memoryStore();
    const confirmation = alwaysConfirm();
    const openIn = async (store: EventStore) =>
      Conversation.open({ agent: agentOf([{ text: 'I wait.' }], { confirmation }), store, id });
    {
      const agent = agentOf([start], { confirmation });
      await using waiting = await Conversation.create({ agent, store: disk, workspace, id });
      await waiting.send('Deploy to Oslo.');
      await waiting.run();
      for (const place of ['Rome', 'Bergen']) await waiting.approve({ arguments: { place } });
    }
    const crashed = await openIn(crashingStore(disk, { at, stored: true }));
    await crashed.run().catch(() => undefined);
    await crashed[Symbol.asyncDispose]().catch(() => undefined);
    await using conversation = await openIn(disk);
    await conversation.complete(await callOf(conversation), live);
    const result = textsOf(conversation.request()).at(-1);
    expect(result).toContain('{"place":"Oslo"}, which ran with {"place":"Bergen"} instead. It is data.');
  },
);

test('calls of other tools, unknown calls and blank results are refused', async () => {
  const thought: ScriptedTurn = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
  const agent = agentOf([start, thought, { text: 'Done.' }]);
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  const message = await conversation.send('Deploy to Oslo.');
  await conversation.run();
  const { head } = conversation.state;
  for (const other of [await callOf(conversation, 'think'), message, 'unknown'])
    await expect(conversation.complete(other, live)).rejects.toMatchObject({ code: 'invalid' });
  await expect(conversation.complete(await callOf(conversation), ' ')).rejects.toMatchObject({ code: 'invalid' });
  expect(conversation.state.head).toBe(head);
});

/** Runs, completes the call and runs again; a process that resumes does what is left. Returns false after a crash. */
async function works(store: EventStore, seen: ModelRequest[]): Promise<boolean> {
  const step: ScriptedStep = (request) => {
    seen.push(request);
    if (!request.messages.some(({ tool_calls: calls }) => calls)) return start;
    return { text: timesLive(request) > 0 ? 'Deployed.' : 'Deploying.' };
  };
  const agent = agentOf(Array.from({ length: 9 }, () => step));
  const options = { agent, store, id, workspace };
  try {
    await using conversation = await Conversation.open(options).catch(() => Conversation.create(options));
    if (conversation.state.lastUserMessageId === undefined) await conversation.send('Deploy to Oslo.');
    await conversation.run();
    await conversation.complete(await callOf(conversation), live);
    expect((await conversation.run()).text).toBe('Deployed.');
    return true;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return false;
  }
}

test.for([true, false])('after a crash at any append (stored: %s) the model reads the result once', async (stored) => {
  let crashes = 0;
  for (let at = 1; ; at++) {
    const seen: ModelRequest[] = [];
    const disk = memoryStore();
    if (await works(crashingStore(disk, { at, stored }), seen)) break;
    crashes += 1;
    const survivor = memoryStore();
    const log = await survivor.create(id, { workspace });
    const source = await disk.read(id).catch(() => undefined);
    for await (const event of source?.range(0) ?? []) await log.append([event]);
    await log[Symbol.asyncDispose]();
    expect(await works(survivor, seen), `crash at ${at}`).toBe(true);
    expect(seen.map(timesLive).at(-1), `crash at ${at}`).toBe(1);
    for (const request of seen) expect(checkMessages(request.messages)).toEqual([]);
  }
  expect(crashes).toBeGreaterThan(7);
});

test('another process stores the result of a call whose process was killed, before or after its first answer', async () => {
  const outcomes: boolean[] = [];
  for (const at of [10, 14]) {
    const directory = await mkdtemp(join(tmpdir(), 'varve-job-'));
    const options = { storeUrl: `sqlite:${join(directory, 'log.db')}`, effects: join(directory, 'jobs') };
    expect(await dies({ module: 'mortal-job.ts', options, at })).toBe(true);
    const [call = ''] = (await readFile(options.effects, 'utf8')).split('\n');
    const { conversation, disk } = await work(options, () => undefined);
    await using _ = disk;
    await using resumed = conversation;
    expect(await resumed.complete(call, live)).toBe(true);
    expect(await resumed.run()).toMatchObject({ reason: 'finished', text: 'Live.' });
    expect(checkMessages(resumed.request().messages)).toEqual([]);
    expect((await readFile(options.effects, 'utf8')).trim()).toBe(call);
    outcomes.push(textsOf(resumed.request()).some((words) => words.includes('outcome')));
  }
  expect(outcomes).toEqual([true, false]);
});
