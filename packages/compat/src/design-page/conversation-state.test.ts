import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventFactory } from '@varve/events/testing';
import { expect, test } from 'vitest';
import { leafKey } from '@varve/events/facts';
import { MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, taskTracker } from '@varve/tools';
import { Conversation, defineAgent } from '@varve/agent';
import { ConversationState } from './conversation-state.ts';
import { AgentMessageEvent, UserMessageEvent } from './message-events.ts';

const usage = { input_tokens: 100, output_tokens: 20 };
const plan: ScriptedTurn = {
  calls: [
    {
      name: 'task_tracker',
      arguments: { command: 'plan', task_list: [{ title: 'Look', status: 'done' }, { title: 'Fix' }] },
    },
  ],
  usage,
  costUsd: 0.25,
};
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }], usage, costUsd: 0.5 };

const fieldsOf = ({
  agentExecutionStatus,
  iteration,
  events,
  taskList,
  metrics,
  conversationHistory,
}: ConversationState) => ({ agentExecutionStatus, iteration, events, taskList, metrics, conversationHistory });

async function recordEvents() {
  const agent = defineAgent({ model: scriptedModel([plan, plan, done, done]), tools: () => [taskTracker(), finish()] });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.navigate(conversation.state.view.events[1]?.id);
  await conversation.run();
  await conversation[Symbol.asyncDispose]();
  return { store, id: conversation.id, conversation };
}

test('appends without a wait change a state in memory immediately, one after the other', async () => {
  const { store, id } = await recordEvents();
  const { events, ...loaded } = fieldsOf(await ConversationState.load(store, id));
  const state = new ConversationState();
  const appended = events.map((event, index) => {
    const call = state.appendEvent(event);
    expect(state.events).toHaveLength(index + 1);
    return call;
  });
  expect(fieldsOf(state)).toEqual({ events, ...loaded });
  await Promise.all(appended);
});

test('appends without a wait are stored in their order', async () => {
  const { store, id } = await recordEvents();
  const { events } = await ConversationState.load(store, id);
  const copy = memoryStore();
  await using state = new ConversationState({ id, persistence: copy });
  const appended = events.map((event) => state.appendEvent(event));
  await state.save();
  expect((await ConversationState.load(copy, id)).events).toEqual(events);
  await Promise.all(appended);
});

test('an event that is appended twice is a conflict, and the state continues', async () => {
  const factory = eventFactory();
  const [first, second] = [factory.user('one'), factory.user('two')];
  for (const persistence of [undefined, memoryStore()]) {
    await using state = new ConversationState({ id: 'c', ...(persistence && { persistence }) });
    const calls = await Promise.allSettled([first, first, second].map((event) => state.appendEvent(event)));
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(calls[1]).toMatchObject({ reason: { code: 'conflict' } });
    expect(state.events).toEqual([first, second]);
  }
});

test('a state is saved in a directory, and a state in memory names none', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve saved '));
  const state = new ConversationState({ id: 'my-task' });
  await state.appendEvent(UserMessageEvent.create({ content: 'Hi' }));
  await expect(state.save()).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('in memory') });
  await state.save(directory);
  expect((await ConversationState.load(directory, 'my-task')).events).toEqual(state.events);
});

test('a message without a stamp has its own id and the time', () => {
  const [first, second] = [UserMessageEvent.create({ content: 'Hi' }), AgentMessageEvent.create({ content: 'Hi' })];
  expect(first.id).not.toBe(second.id);
  expect(Math.abs(Date.parse(first.timestamp) - Date.now())).toBeLessThan(86_400_000);
});

test('a state without events is idle and empty', () => {
  const { agentExecutionStatus, iteration, events, taskList, metrics } = new ConversationState();
  expect([agentExecutionStatus, iteration, events, taskList]).toEqual(['idle', 0, [], []]);
  expect(metrics).toEqual({ inputTokens: 0, outputTokens: 0, totalCost: 0, llmCallCount: 0 });
});

test('a loaded state contains status, iterations, metrics, tasks and history', async () => {
  const { store, id } = await recordEvents();
  const state = await ConversationState.load(store, id);
  expect(state).toMatchObject({ agentExecutionStatus: 'finished', iteration: 4 });
  expect(state.metrics).toEqual({ inputTokens: 400, outputTokens: 80, totalCost: 1.5, llmCallCount: 4 });
  expect(state.conversationHistory.map(({ kind }) => kind)).not.toContain('ConversationStateUpdateEvent');
  expect(state.conversationHistory.filter((event) => ObservationEvent.is(event))).toHaveLength(4);
});

test('tasks are those of the active branch', async () => {
  const { store, id } = await recordEvents();
  const state = await ConversationState.load(store, id);
  expect(state.taskList).toEqual([]);
  const before = new ConversationState();
  const back = state.events.findIndex((event) => 'key' in event && event.key === leafKey);
  for (const event of state.events.slice(0, back)) await before.appendEvent(event);
  expect(before.taskList.map(({ description, done: isDone }) => [description, isDone])).toEqual([
    ['Look', true],
    ['Fix', false],
  ]);
});

test('events are counted, cut and found, also from their end', async () => {
  const { store, id } = await recordEvents();
  const { events } = await ConversationState.load(store, id);
  const message = events.find((event) => MessageEvent.is(event));
  expect(message && events.indexOf(message)).toBe(2);
  expect(events.slice(-3)).toEqual([...events].slice(events.length - 3));
  expect(events.at(-1)).toBe(events[events.length - 1]);
});

test('the same events lead to the same state, and the first n events to the state at that time', async () => {
  const { store, id } = await recordEvents();
  const { events } = await ConversationState.load(store, id);
  const grown = new ConversationState();
  for (const [index, event] of events.entries()) {
    await grown.appendEvent(event);
    const fresh = new ConversationState();
    for (const earlier of events.slice(0, index + 1)) await fresh.appendEvent(earlier);
    for (const field of ['agentExecutionStatus', 'iteration', 'metrics', 'taskList', 'conversationHistory'] as const) {
      expect(fresh[field], field).toEqual(grown[field]);
    }
  }
});

test('saving stores the missing events byte for byte, and a stored conversation that differs is a conflict', async () => {
  const { store, id } = await recordEvents();
  const { events } = await ConversationState.load(store, id);
  const [copy, state] = [memoryStore(), new ConversationState({ id })];
  for (const event of events.slice(0, 5)) await state.appendEvent(event);
  await state.save(copy);
  for (const event of events.slice(5)) await state.appendEvent(event);
  await state.save(copy);
  await state.save(copy);
  const textsIn = async (from: typeof store) => Array.fromAsync((await from.read(id)).range(0), ({ text }) => text);
  expect(await textsIn(copy)).toEqual(await textsIn(store));
  const other = new ConversationState({ id });
  for (const event of events.slice(1)) await other.appendEvent(event);
  await expect(other.save(copy)).rejects.toMatchObject({ code: 'conflict' });
});

test('a state with a directory stores each event, and is loaded and continued from it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve state '));
  const id = 'a'.repeat(32);
  const { stamp } = eventFactory();
  const message = UserMessageEvent.create({ content: 'Hi', images: ['data:,x'] }, stamp());
  {
    await using state = new ConversationState({ id, persistence: directory });
    await state.appendEvent(message);
    expect(await readdir(join(directory, id, 'events'))).toHaveLength(1);
  }
  await using again = await ConversationState.load(directory, id);
  expect(again.events).toEqual([message]);
  await again.appendEvent(AgentMessageEvent.create({ content: 'Hello' }, stamp()));
  expect((await ConversationState.load(directory, id)).events).toEqual(again.events);
});

test('a state whose stored log has other events does not change', async () => {
  const store = memoryStore();
  const factory = eventFactory();
  {
    await using first = new ConversationState({ id: 'b', persistence: store });
    await first.appendEvent(factory.user('one'));
  }
  await using second = new ConversationState({ id: 'b', persistence: store });
  await expect(second.appendEvent(factory.user('two'))).rejects.toMatchObject({ code: 'conflict' });
  expect(second.events).toEqual([]);
});

test('the messages of the design page are message events', () => {
  const { stamp } = eventFactory();
  const [user, agent] = [
    UserMessageEvent.create({ content: 'Hi', images: ['data:,x'] }, stamp()),
    AgentMessageEvent.create({ content: 'Hello' }, stamp()),
  ];
  expect([user, agent]).toMatchObject([
    { source: 'user', llm_message: { role: 'user' }, kind: 'MessageEvent' },
    { source: 'agent', llm_message: { role: 'assistant' }, kind: 'MessageEvent' },
  ]);
  expect([UserMessageEvent.is(user), UserMessageEvent.is(agent), AgentMessageEvent.is(agent)]).toEqual([
    true,
    false,
    true,
  ]);
  expect(UserMessageEvent.read(user)).toEqual({ content: 'Hi', images: ['data:,x'] });
});

test('a state with a UUID is stored as 32 hex digits, and loaded by both forms', async () => {
  const uuid = '5A356F9F-4860-4c01-9d8e-0f8d5f3b0a11';
  const hex = '5a356f9f48604c019d8e0f8d5f3b0a11';
  const store = memoryStore();
  const event = eventFactory().user('Hi.');
  {
    await using state = new ConversationState({ id: uuid, persistence: store });
    await state.appendEvent(event);
  }
  for (const id of [uuid, hex]) expect((await ConversationState.load(store, id)).events).toEqual([event]);
});
