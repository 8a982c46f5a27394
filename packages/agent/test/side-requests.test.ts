import { expect, test } from 'vitest';
import { textOf, type BaseEvent } from '@varve/events';
import { callFact } from '@varve/events/facts';
import { checkMessages } from '@varve/events/projections';
import { rollingWindow } from '@varve/condensers';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish, ToolError, type Tool } from '@varve/tools';
import * as z from 'zod';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const record = (text: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text } }] });

async function started(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const { tool, runs } = countingTool();
  const agent = defineAgent({ model, tools: () => [tool(), finish()], ...options });
  const store = memoryStore();
  const secrets = ['hush-hush'];
  const conversation = await Conversation.create({ agent, store, secrets, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, model, runs, agent, store };
}

const eventsOf = (conversation: Conversation) =>
  Array.fromAsync(conversation.events(), ({ event }): BaseEvent => event);

test('a side question goes to the model that is chosen for it', async () => {
  const { conversation, model } = await started([{ text: 'First.' }]);
  const other = scriptedModel([{ text: 'The other one answers.' }]);
  const { message } = await conversation.ask('Who are you?', { model: other });
  expect([textOf(message.content), other.requests.length, model.requests.length]).toEqual([
    'The other one answers.',
    1,
    0,
  ]);
});

test('a side question reads the conversation and stores only its usage, also while calls wait', async () => {
  const { conversation, model } = await started([record('a'), { text: 'I record.' }], {
    confirmation: alwaysConfirm(),
  });
  await conversation.run();
  const before = await eventsOf(conversation);
  const { view, leafId, stats } = conversation.state;
  const request = conversation.request();
  const { message } = await conversation.ask('What are you doing?');
  expect(textOf(message.content)).toBe('I record.');
  const [fact, ...more] = (await eventsOf(conversation)).slice(before.length);
  expect([fact && callFact.read(fact)?.usage_id, more]).toEqual(['ask', []]);
  expect(conversation.state).toMatchObject({ view, leafId });
  expect(conversation.request()).toEqual(request);
  expect(conversation.state.stats.byUsageId['ask']).toMatchObject({ calls: 1 });
  expect(conversation.state.stats.total.calls).toBe(stats.total.calls + 1);
  expect(conversation.state.status).toBe('waiting_for_confirmation');
  const { messages, parameters } = model.requests[1] ?? { messages: [] };
  expect(textOf(messages.at(-1)?.content ?? [])).toContain('What are you doing?');
  expect(checkMessages(messages)).toEqual([]);
  expect(parameters).toMatchObject({ toolChoice: 'none' });
});

test('a side question during a run does not disturb it', async () => {
  const gate = Promise.withResolvers<void>();
  const { conversation, model } = await started([{ ...record('a'), gate: gate.promise }, { text: 'Yes.' }, done]);
  const running = conversation.run();
  while (model.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
  expect(textOf((await conversation.ask('There?')).message.content)).toBe('Yes.');
  gate.resolve();
  expect(await running).toMatchObject({ reason: 'finished' });
});

test('a tool is executed directly, without an event and without confirmation, and its result is masked', async () => {
  const { conversation, runs } = await started([], { confirmation: alwaysConfirm() });
  const before = await eventsOf(conversation);
  const result = await conversation.executeTool({ name: 'record', arguments: { text: 'hush-hush' } });
  expect(textOf(result.content)).toBe('Recorded <secret-hidden>.');
  expect(runs.get('hush-hush')).toBe(1);
  expect(await eventsOf(conversation)).toEqual(before);
  await expect(conversation.executeTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: 'invalid' });
  const wrong = conversation.executeTool({ name: 'record', arguments: {} });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid-input' });
});

test('a secret in the error of a tool is masked', async () => {
  const broken: Tool = {
    ...finish(),
    execute: () => Promise.reject(new ToolError('unusable', 'No login as hush-hush.')),
  };
  const { conversation } = await started([], { tools: () => [broken] });
  const failed = conversation.executeTool({ name: 'finish', arguments: { message: 'Done.' } });
  await expect(failed).rejects.toMatchObject({ code: 'unusable', message: 'No login as <secret-hidden>.' });
});

test('a switched model is called from the next step of the same run', async () => {
  const other = scriptedModel([done], { name: 'other' });
  const change: { model?: () => void } = {};
  const first: ScriptedStep = () => {
    change.model?.();
    return record('a');
  };
  const { conversation, model, store } = await started([first]);
  change.model = () => conversation.switchModel(other);
  expect(await conversation.run()).toMatchObject({ reason: 'finished', iterations: 2 });
  expect([model.requests.length, other.requests.length]).toEqual([1, 1]);
  const { meta } = await store.summary(conversation.id);
  expect(meta).toMatchObject({ agent: { model: { name: 'other' } } });
});

test('a conversation can be renamed, and the listing shows it', async () => {
  const { conversation, store } = await started([]);
  await conversation.rename('  Fix the roof ');
  expect(conversation.state.title).toBe('Fix the roof');
  expect((await store.summary(conversation.id)).meta).toMatchObject({ title: 'Fix the roof' });
  await expect(conversation.rename(' ')).rejects.toMatchObject({ code: 'invalid' });
});

test('condensing on demand shrinks the view without calling the model, or returns false', async () => {
  const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
  const condenser = rollingWindow({ maxEvents: 100 });
  const { conversation, model } = await started([...texts.map(record), done, done], { condenser });
  expect(await conversation.condense()).toBe(false);
  await conversation.run();
  const before = conversation.state.view.events.length;
  const asked = model.requests.length;
  expect(await conversation.condense()).toBe(true);
  expect(conversation.state.view.events.length).toBeLessThan(before);
  expect(conversation.state.view.isCondensationRequested).toBe(false);
  expect(model.requests).toHaveLength(asked);
  await conversation.send('Again.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('condense() is refused while calls wait, and no call runs', async () => {
  const { conversation, runs } = await started([record('a')], { confirmation: alwaysConfirm() });
  await conversation.run();
  await expect(conversation.condense()).rejects.toMatchObject({ code: 'pending' });
  expect(runs.size).toBe(0);
});

const hang: ScriptedTurn = { fault: { kind: 'hang', afterPieces: 0 } };

test.for<[string, (conversation: Conversation) => Promise<unknown>]>([
  ['question', (conversation) => conversation.ask('What are you doing?')],
  ['question with a signal', (conversation) => conversation.ask('What?', { signal: new AbortController().signal })],
  ['title request', (conversation) => conversation.generateTitle()],
])('a %s without a reply is aborted when the conversation is closed', async ([, begin]) => {
  const { conversation } = await started([hang]);
  const outcome = begin(conversation).catch((error: unknown) => error);
  await conversation[Symbol.asyncDispose]();
  expect(await outcome).toMatchObject({ code: 'aborted' });
});

test('a direct call is cancelled when the conversation is closed', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const waiting = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    effect: 'read',
    execute: async (_input, { signal }) => {
      begin();
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
      });
      return 'Stopped.';
    },
  });
  const { conversation } = await started([], { tools: () => [waiting] });
  const outcome = conversation.executeTool({ name: 'wait', arguments: {} });
  await begun;
  await conversation[Symbol.asyncDispose]();
  expect(await outcome).toMatchObject({ content: [{ text: 'Stopped.' }] });
});

test('side questions count for the budget of their conversation and of its parent, also after a restart', async () => {
  const usage = {
    input_tokens: 60,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
  const answer = { text: 'Yes.', usage };
  const { conversation, agent, store } = await started([answer, answer, done], { budget: { maxTokens: 100 } });
  const child = await conversation.child({ agent });
  await child.send('Go.');
  await child.ask('There?');
  await child[Symbol.asyncDispose]();
  expect(conversation.state.stats.total).toMatchObject({ calls: 1, input_tokens: 60 });
  await conversation.ask('There?');
  await conversation[Symbol.asyncDispose]();
  await using reopened = await Conversation.open({ agent, store, id: conversation.id });
  expect(await reopened.run()).toMatchObject({ reason: 'max-tokens', usage: { calls: 2, input_tokens: 120 } });
});
