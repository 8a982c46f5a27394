import { expect, test } from 'vitest';
import { rollingWindow } from '@varve/condensers';
import { text, type BaseEvent, type Message } from '@varve/events';
import { ActionEvent, Condensation, PauseEvent } from '@varve/events/kinds';
import type { LanguageModel } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const record = (content: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text: content } }] });
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };

async function started(steps: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const { tool } = countingTool();
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [tool(), finish()], ...options });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, model, agent, store };
}

async function eventsOf(conversation: Conversation): Promise<readonly BaseEvent[]> {
  return Array.fromAsync(conversation.events(), ({ event }) => event);
}

const recorded = ['a', 'b', 'c'].flatMap((content) => record(content).calls ?? []);
const batches: readonly (readonly [string, ScriptedTurn, Partial<Message>])[] = [
  ['text', { text: 'First a.', calls: recorded }, { content: [text('First a.')] }],
  ['reasoning', { reasoning: 'Hm.', calls: recorded }, { content: [], reasoning_content: 'Hm.' }],
  [
    'text and reasoning',
    { text: 'First a.', reasoning: 'Hm.', calls: recorded },
    { content: [text('First a.')], reasoning_content: 'Hm.' },
  ],
];

test.for(batches)('only the first action of a reply with three calls contains its %s', async ([, reply, expected]) => {
  const { conversation, model } = await started([reply, done]);
  await conversation.run();
  const [first, ...later] = (await eventsOf(conversation)).filter((event) => ActionEvent.is(event)).slice(0, 3);
  const { content, ...reasoning } = expected;
  expect(first).toMatchObject({ thought: content, ...reasoning });
  expect(new Set([first, ...later].map((action) => action?.llm_response_id)).size).toBe(1);
  for (const action of later) {
    expect(action).toMatchObject({ thought: [], thinking_blocks: [] });
    expect(action).not.toHaveProperty('reasoning_content');
    expect(action).not.toHaveProperty('responses_reasoning_item');
  }
  expect(later).toHaveLength(2);
  const replies = model.requests[1]?.messages.filter(({ role }) => role === 'assistant');
  expect(replies).toMatchObject([{ ...expected, tool_calls: [{}, {}, {}] }]);
});

test('an action has the risk and the summary of its call', async () => {
  const args = { text: 'a', security_risk: 'LOW', summary: 'Record a.' };
  const { conversation } = await started([{ calls: [{ name: 'record', arguments: args }] }, done]);
  await conversation.run();
  const action = (await eventsOf(conversation)).find((event) => ActionEvent.is(event));
  expect(action).toMatchObject({ security_risk: 'LOW', summary: 'Record a.' });
});

test('signed thinking and the reasoning item of a reply are in its first action only', async () => {
  const signed: Partial<Message> = {
    thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }],
    responses_reasoning_item: { id: 'rs_1', summary: ['Hm.'] },
  };
  const script = scriptedModel([{ calls: recorded }, done]);
  const requests: (readonly Message[])[] = [];
  const model: LanguageModel = {
    ...script,
    async generate(request, options) {
      requests.push(request.messages);
      const reply = await script.generate(request, options);
      return { ...reply, message: { ...reply.message, ...signed } };
    },
  };
  const { conversation } = await started([], { model });
  await conversation.run();
  const [first, ...later] = (await eventsOf(conversation)).filter((event) => ActionEvent.is(event)).slice(0, 3);
  expect(first).toMatchObject(signed);
  expect(later).toMatchObject([{ thinking_blocks: [] }, { thinking_blocks: [] }]);
  for (const action of later) expect(action).not.toHaveProperty('responses_reasoning_item');
  expect(requests[1]?.filter(({ role }) => role === 'assistant')).toMatchObject([signed]);
});

test('an invalid call after the first contains no text of its reply', async () => {
  const unknown = { name: 'unknown', arguments: {} };
  const { conversation } = await started([{ text: 'Both.', calls: [...recorded.slice(0, 1), unknown] }, done]);
  await conversation.run();
  const actions = (await eventsOf(conversation)).filter((event) => ActionEvent.is(event)).slice(0, 2);
  expect(actions.map(({ thought, tool_name: name }) => [name, thought])).toEqual([
    ['record', [text('Both.')]],
    ['unknown', []],
  ]);
});

test('a step that condenses the view does not call the model', async () => {
  const turns = ['a', 'b', 'c', 'd', 'e'].map(record);
  const { conversation, model } = await started([...turns, done], { condenser: rollingWindow({ maxEvents: 10 }) });
  for (const [index] of turns.entries()) {
    await conversation.step();
    expect(model.requests).toHaveLength(index + 1);
  }
  expect(await conversation.step()).toMatchObject({ reason: 'paused', iterations: 1 });
  expect(model.requests).toHaveLength(turns.length);
  expect((await eventsOf(conversation)).filter((event) => Condensation.is(event))).toHaveLength(1);
  expect(await conversation.step()).toMatchObject({ reason: 'finished', iterations: 1 });
  expect(model.requests).toHaveLength(turns.length + 1);
});

test('the request after a condensation contains the summary in a user message', async () => {
  const turns = ['a', 'b', 'c', 'd', 'e'].map(record);
  const { conversation, model } = await started([...turns, done], { condenser: rollingWindow({ maxEvents: 10 }) });
  await conversation.run();
  const condensation = (await eventsOf(conversation)).find((event) => Condensation.is(event));
  const block = text(condensation?.summary ?? 'no summary');
  const withSummary = model.requests
    .at(-1)
    ?.messages.filter(({ content }) => content.some((part) => part.type === 'text' && part.text === block.text));
  expect(withSummary?.map(({ role }) => role)).toEqual(['user']);
});

test('a pause is stored as a PauseEvent before the status, and is there again after a restart', async () => {
  const { conversation, agent, store } = await started([record('a'), done]);
  await conversation.step();
  const stored = await eventsOf(conversation);
  const pauses = stored.filter((event) => PauseEvent.is(event));
  expect(pauses).toMatchObject([{ source: 'user' }]);
  const [pause] = pauses;
  const after = stored.slice(stored.findIndex((event) => event === pause) + 1);
  expect(after[0]).toMatchObject({ kind: 'ConversationStateUpdateEvent', key: 'execution_status', value: 'paused' });
  await conversation[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent, store, id: conversation.id });
  expect((await eventsOf(again)).filter((event) => PauseEvent.is(event))).toEqual(pauses);
});

test('every pause that ends a run stores one PauseEvent', async () => {
  let conversation: Conversation | undefined;
  const { tool } = countingTool();
  const pausing = tool();
  const tools = () => [
    {
      ...pausing,
      execute: (input: never, context: never) => {
        conversation?.pause();
        return pausing.execute(input, context);
      },
    },
    finish(),
  ];
  ({ conversation } = await started([record('a'), record('b'), done], { tools }));
  const counts: number[] = [];
  for (const reason of ['paused', 'paused', 'finished']) {
    expect(await conversation.run()).toMatchObject({ reason });
    counts.push((await eventsOf(conversation)).filter((event) => PauseEvent.is(event)).length);
  }
  expect(counts).toEqual([1, 2, 2]);
});
