import { mkdtemp, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { openaiChat } from '@varve/llm';
import { scriptedModel, scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent } from '@varve/agent';
import { agentRegistries, toolset } from '@varve/agent/specs';
import { countingTool } from '@varve/agent/testing';
import { Conversation, ConversationRunError } from './conversation.ts';
import { ConversationState } from './conversation-state.ts';
const record = (text: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text } }], costUsd: 0.5 });
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const id = 'a'.repeat(32);

const fieldsOf = (state: ConversationState) => ({
  status: state.agentExecutionStatus,
  iteration: state.iteration,
  history: state.conversationHistory.length,
  metrics: state.metrics,
  tasks: state.taskList,
  events: state.events,
});

function agentOf(steps: readonly ScriptedStep[]) {
  return defineAgent({ model: scriptedModel(steps), tools: () => [countingTool().tool(), finish()] });
}

test('a conversation is paused, loaded and resumed, and its state always matches its events', async () => {
  const store = memoryStore();
  let running: Conversation | undefined;
  const pausing: ScriptedStep = () => {
    running?.pause();
    return record('a');
  };
  {
    const options = { agent: agentOf([pausing]), store, workspace: process.cwd(), id };
    await using conversation = await Conversation.create(options);
    running = conversation;
    expect(conversation.state.agentExecutionStatus).toBe('idle');
    await conversation.sendMessage('Record a, then b.');
    expect(conversation.state.conversationHistory).toHaveLength(2);
    expect(await conversation.run({ maxIterations: 50 })).toMatchObject({ reason: 'paused' });
    expect(conversation.state).toMatchObject({ agentExecutionStatus: 'paused', iteration: 1 });
  }
  await using again = await Conversation.load({ agent: agentOf([record('b'), done]), store, id });
  expect(again.state).toMatchObject({ agentExecutionStatus: 'paused', iteration: 1, metrics: { totalCost: 0.5 } });
  expect(await again.resume({ maxIterations: 1 })).toMatchObject({ reason: 'max-iterations' });
  expect(await again.resume()).toMatchObject({ reason: 'finished' });
  expect(again.state).toMatchObject({ agentExecutionStatus: 'finished', iteration: 3, metrics: { llmCallCount: 3 } });

  // The guarantee of the documents: the same events, the same state.
  const replayed = new ConversationState({ id });
  for (const event of again.state.events) await replayed.appendEvent(event);
  expect(fieldsOf(replayed)).toEqual(fieldsOf(again.state));
  expect(fieldsOf(await ConversationState.load(store, id))).toEqual(fieldsOf(again.state));
});

test('messages that are sent concurrently, and during a run, are in the state once', async () => {
  const store = memoryStore();
  let running: Conversation | undefined;
  const sent: Promise<unknown>[] = [];
  const sending: ScriptedStep = () => {
    sent.push(...['c', 'd'].map(async (text) => running?.sendMessage(text)));
    return done;
  };
  await using conversation = await Conversation.create({
    agent: agentOf([sending, done]),
    store,
    workspace: process.cwd(),
  });
  running = conversation;
  await Promise.all(['a', 'b'].map((text) => conversation.sendMessage(text)));
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  await Promise.all(sent);
  const { events } = await ConversationState.load(store, conversation.id);
  expect(conversation.state.events).toEqual(events);
});

test('the state is updated also when a run fails because of a bug', async () => {
  let asked = 0;
  const review = (): { asks: boolean } => {
    asked += 1;
    if (asked > 1) throw new TypeError('A bug.');
    return { asks: false };
  };
  const agent = { ...agentOf([record('a'), record('b')]), confirmation: { spec: { kind: 'Broken' }, review } };
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.sendMessage('Go.');
  await expect(conversation.run()).rejects.toThrow('A bug.');
  expect(conversation.state.iteration).toBe(1);
});

test('a conversation is loaded by its directory and id', async () => {
  const path = await mkdtemp(join(tmpdir(), 'varve load '));
  {
    await using store = await directoryStore({ path });
    await using made = await Conversation.create({ agent: agentOf([]), store, workspace: process.cwd(), id });
    await made.sendMessage('Go.');
  }
  {
    await using loaded = await Conversation.load(path, id, { agent: agentOf([done]) });
    expect(await loaded.run()).toMatchObject({ reason: 'finished' });
  }
  await expect(Conversation.load(path, 'b'.repeat(32), { agent: agentOf([]) })).rejects.toMatchObject({
    code: 'missing',
  });
  await using again = await Conversation.load(path, id, { agent: agentOf([]) });
  expect(again.state.agentExecutionStatus).toBe('finished');
});

test('a conversation that is constructed with a directory and a name is created, and continued the next day', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve named '));
  const named = { persistence: directory, id: 'large-refactor', workspace: process.cwd() };
  {
    await using first = new Conversation({ ...named, agent: agentOf([]) });
    await first.sendMessage('Record a, then b.');
    const running = first.run();
    first.pause();
    expect(await running).toMatchObject({ reason: 'paused' });
    expect(first.state).toMatchObject({ id: 'large-refactor', agentExecutionStatus: 'paused', iteration: 0 });
  }
  await using second = new Conversation({ ...named, agent: agentOf([record('a'), done]) });
  expect(second.state.events).toEqual([]);
  expect(await second.resume()).toMatchObject({ reason: 'finished' });
  expect(second.state).toMatchObject({ agentExecutionStatus: 'finished', iteration: 2 });
});

test('a pause while a conversation is opened ends its run before the first step', async () => {
  const store = memoryStore();
  const named = { persistence: store, id: 'b', workspace: process.cwd() };
  {
    await using first = new Conversation({ ...named, agent: agentOf([]) });
    await first.sendMessage('Go.');
  }
  await using second = new Conversation({ ...named, agent: agentOf([done]) });
  const running = second.run();
  second.pause();
  expect(await running).toMatchObject({ reason: 'paused' });
  expect(await second.run()).toMatchObject({ reason: 'finished' });
});

test('a new conversation without an agent or workspace fails at its first call, and can be called again', async () => {
  const conversation = new Conversation({ id: 'c' });
  const failing = conversation.sendMessage('Go.');
  await expect(failing).rejects.toThrow('Conversation c is new, and it has no agent.');
  await expect(conversation.run()).rejects.toMatchObject({ code: 'invalid' });
  await conversation[Symbol.asyncDispose]();
  const homeless = new Conversation({ id: 'c', agent: agentOf([]) });
  await expect(homeless.sendMessage('Go.')).rejects.toThrow('has no workspace');
});

test('a run that fails throws, and the state contains the failure', async () => {
  await using conversation = await Conversation.create({
    agent: agentOf([]),
    store: memoryStore(),
    workspace: process.cwd(),
  });
  await conversation.sendMessage('Go.');
  const failure = await conversation.run().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConversationRunError);
  expect(failure).toMatchObject({ conversationId: conversation.id });
  expect(failure instanceof Error && failure.cause).toMatchObject({ code: 'script-mismatch' });
  expect(conversation.state.agentExecutionStatus).toBe('error');
});

test('a conversation is loaded by its directory and id alone', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using server = await scriptedServer([done]);
  const agent = defineAgent({
    model: openaiChat({ model: 'm', baseUrl: server.url }),
    tools: toolset(['finish'], agentRegistries().tools),
  });
  let loadedId = '';
  {
    await using store = await directoryStore({ path: root.path });
    await using conversation = await Conversation.create({ agent, store, workspace: root.path });
    loadedId = conversation.id;
    await conversation.sendMessage('Go.');
  }
  await using facade = await Conversation.load(root.path, loadedId);
  expect(facade.state.events.at(-1)).toMatchObject({ source: 'user' });
  expect(await facade.run()).toMatchObject({ reason: 'finished' });
});
