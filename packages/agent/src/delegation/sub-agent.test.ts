import { textOf } from '@varve/events';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, think, type SharedTool } from '@varve/tools';
import { expect, test } from 'vitest';
import { defineAgent, type Agent } from '../agent/agent.ts';
import { Conversation } from '../conversation/conversation.ts';
import { builtinSubAgents } from './built-in-sub-agents.ts';
import { subAgent } from './sub-agent.ts';

const workspace = process.cwd();
const description = 'Reviews changes.';
const asking = { calls: [{ name: 'reviewer', arguments: { prompt: 'Review it.' } }] };
const tools: readonly SharedTool[] = [think(), finish()];

function reviewerWith(...turns: readonly ScriptedTurn[]): Agent {
  return defineAgent({ model: scriptedModel(turns), tools });
}

test('an agent is a tool of another one, in each conversation', async () => {
  const agent = reviewerWith({ text: 'A bug in line 3.' }, { text: 'No bugs.' });
  const model = scriptedModel([asking, { text: 'First.' }, asking, { text: 'Second.' }]);
  const parent = defineAgent({ model, tools: [subAgent({ name: 'reviewer', description, agent }), finish()] });
  await using store = memoryStore();
  for (const answer of ['A bug in line 3.', 'No bugs.']) {
    await using conversation = await Conversation.create({ agent: parent, store, workspace });
    await conversation.send('Change it.');
    expect(await conversation.run()).toMatchObject({ reason: 'finished', usage: { calls: 3 } });
    const results = conversation.request().messages.filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => textOf(content))).toEqual([answer]);
    expect(conversation.delegation.tasks).toMatchObject([{ subAgent: 'reviewer' }]);
  }
});

test('a task that does not end is a result that the model reads', async () => {
  const thinking = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
  const agent = reviewerWith(thinking, thinking);
  const limited = subAgent({ name: 'reviewer', description, agent, limits: { maxIterations: 1 } });
  await using store = memoryStore();
  const parent = defineAgent({ model: scriptedModel([asking, { text: 'Done.' }]), tools: [limited] });
  await using conversation = await Conversation.create({ agent: parent, store, workspace });
  await conversation.send('Change it.');
  await conversation.run();
  const result = conversation.request().messages.find(({ role }) => role === 'tool');
  expect(textOf(result?.content ?? [])).toMatch(/^reviewer did not complete its task: /);
});

test('sub-agents without the tools that start them are refused', async () => {
  await using store = memoryStore();
  const model = scriptedModel([]);
  const alone = defineAgent({ model, tools, subAgents: builtinSubAgents });
  await expect(Conversation.create({ agent: alone, store, workspace })).rejects.toThrow(
    'The agent has subAgents, and none of the delegationTools.',
  );
});
