import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const record = (text: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text } }] });
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };

async function started(steps: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const { tool, runs } = countingTool();
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [tool(), finish()], ...options });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, runs, model, agent, store };
}

test('a step calls the model once, executes its calls, and pauses', async () => {
  const { conversation, runs, model } = await started([record('a'), record('b'), done]);
  expect(await conversation.step()).toMatchObject({ reason: 'paused', iterations: 1 });
  expect([model.requests.length, [...runs.keys()], conversation.state.status]).toEqual([1, ['a'], 'paused']);
  expect(await conversation.step()).toMatchObject({ reason: 'paused', iterations: 1 });
  expect(await conversation.step()).toMatchObject({ reason: 'finished', text: 'All done.', iterations: 1 });
  expect(await conversation.step()).toMatchObject({ reason: 'finished', iterations: 0 });
  expect(model.requests).toHaveLength(3);
});

test('single steps send the same requests as one run, also with a restart between steps', async () => {
  const steps = [record('a'), record('b'), done];
  const whole = await started(steps);
  await whole.conversation.run();
  const { conversation, model, agent, store } = await started(steps);
  await conversation[Symbol.asyncDispose]();
  for (let reason = 'paused'; reason === 'paused';) {
    await using again = await Conversation.open({ agent, store, id: conversation.id });
    ({ reason } = await again.step());
  }
  expect(model.requests.map(({ messages }) => messages)).toEqual(whole.model.requests.map(({ messages }) => messages));
});

test('a step whose calls need approval waits, and the next step executes them', async () => {
  const { conversation, runs } = await started([record('a'), done], { confirmation: alwaysConfirm() });
  expect(await conversation.step()).toMatchObject({ reason: 'waiting' });
  expect(await conversation.step()).toMatchObject({ reason: 'waiting', iterations: 0 });
  await conversation.approve();
  expect(await conversation.step()).toMatchObject({ reason: 'paused', iterations: 1 });
  expect([...runs.keys()]).toEqual(['a']);
  expect(await conversation.step()).toMatchObject({ reason: 'finished' });
});

test('a conversation without remaining budget takes no step', async () => {
  const { conversation, model } = await started([record('a'), done], { budget: { maxCalls: 1 } });
  expect(await conversation.step()).toMatchObject({ reason: 'paused' });
  expect(await conversation.step()).toMatchObject({ reason: 'max-calls', iterations: 0 });
  expect(model.requests).toHaveLength(1);
});
