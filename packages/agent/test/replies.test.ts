import { expect, test } from 'vitest';
import { textOf } from '@varve/events';
import { checkMessages } from '@varve/events/projections';
import { functionCalling, LlmError, retry, type LanguageModel } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const record = (text: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text } }] });

async function started(steps: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const { tool } = countingTool();
  const agent = defineAgent({ model, tools: () => [tool(), finish()], ...options });
  const conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  return { conversation, model };
}

test.for(['empty', 'truncated', 'refused'] as const)(
  'a reply that fails as %s leads to a nudge, three in a row are stuck',
  async (code) => {
    const nothing = { error: { code } };
    const { conversation, model } = await started([nothing, nothing, record('a'), nothing, nothing, nothing, done]);
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ reason: 'stuck', cause: 'unusable-replies', iterations: 6 });
    expect(textOf(model.requests[1]?.messages.at(-1)?.content ?? [])).toContain('our last reply');
  },
);

test('three empty replies that were paid for end the run, retries included', async () => {
  const usage = { input_tokens: 9, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
  let requests = 0;
  const inner: LanguageModel = {
    ...scriptedModel([done]),
    generate: async () => {
      requests += 1;
      throw new LlmError('empty', 'Nothing.', { failedAttempts: [{ model: 'm', code: 'empty', usage }] });
    },
  };
  const model = retry({ sleep: async () => undefined })(inner);
  const agent = defineAgent({ model, tools: () => [finish()] });
  const conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', cause: 'unusable-replies' });
  expect(requests).toBe(3);
});

test('the nudge for a call that nothing reads shows the form of one', async () => {
  const inner = scriptedModel([{ text: 'finish{message: done}' }, done]);
  const agent = defineAgent({ model: functionCalling()(inner), tools: () => [finish()] });
  const conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'All done.' });
  expect(textOf(inner.requests[1]?.messages.at(-1)?.content ?? [])).toContain(
    'like this:\n\n<function=finish>\n<parameter=',
  );
});

test('an unreadable call in the text of a reply does not end the run', async () => {
  const leaked = { text: '<｜tool▁calls▁begin｜>record', finish: 'unread-calls' } as const;
  const { conversation, model } = await started([leaked, record('a'), done]);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', iterations: 3 });
  expect(textOf(model.requests[1]?.messages.at(-1)?.content ?? [])).toContain('within its text');
});

test('a text that waits for the person ends the run unfinished, and running again does not call the model', async () => {
  const { conversation, model } = await started([{ text: 'Which file?' }, done], { textReply: 'wait' });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'asked', text: 'Which file?' });
  expect(conversation.state.status).toBe('idle');
  expect(await conversation.run()).toMatchObject({ reason: 'asked', iterations: 0 });
  expect(model.requests).toHaveLength(1);
  await conversation.send('That one.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('a text reply without a person to answer continues, until the agent is in a monologue', async () => {
  const talk: ScriptedTurn = { text: 'Shall I?' };
  const { conversation, model } = await started([talk, done, talk, talk, talk], { textReply: 'continue' });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'All done.', iterations: 2 });
  expect(textOf(model.requests[1]?.messages.at(-1)?.content ?? [])).toContain('call finish');
  await conversation.send('More.');
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', cause: 'text-only', iterations: 3 });
});

test('a call by an alias is stored under the name of its tool', async () => {
  const { tool, runs } = countingTool({ name: 'terminal' });
  const named: ScriptedTurn = { calls: [{ name: 'execute_bash', arguments: "{'text': 'a'}" }] };
  const { conversation } = await started([named, done], {
    tools: () => [{ ...tool(), aliases: ['execute_bash'] }, finish()],
  });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs]).toEqual([['a', 1]]);
  const { messages } = conversation.request();
  const call = messages.flatMap(({ tool_calls: calls }) => calls ?? [])[0];
  expect(call).toMatchObject({ name: 'terminal' });
  expect(checkMessages(messages)).toEqual([]);
});

test('a run that ended because nothing more could be condensed calls the model again in the next run', async () => {
  const { conversation } = await started([{ error: { code: 'context-overflow' } }, done]);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'error', error: { code: 'context-overflow' } });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('a function answers the questions of an agent, and without an answer the run ends', async () => {
  const steps = [{ text: 'Which file?' }, { text: 'Really?' }, { text: 'And then?' }, done];
  const { conversation, model } = await started(steps, { textReply: 'wait' });
  await conversation.send('Go.');
  const questions: string[] = [];
  const answers = new Map([
    ['Which file?', 'The first.'],
    ['Really?', 'Yes.'],
  ]);
  const onQuestion = async (question: string) => {
    questions.push(question);
    return answers.get(question);
  };
  expect(await conversation.run({ onQuestion })).toMatchObject({ reason: 'asked', text: 'And then?', iterations: 3 });
  expect(questions).toEqual(['Which file?', 'Really?', 'And then?']);
  expect(textOf(model.requests[1]?.messages.at(-1)?.content ?? [])).toBe('The first.');
  await conversation.send('Finish.');
  expect(await conversation.run({ onQuestion })).toMatchObject({ reason: 'finished' });
});

test('answers count in the limits of a run, and a message that comes instead of one is answered', async () => {
  const steps = [{ text: 'One?' }, { text: 'Two?' }, { text: 'Three?' }, done];
  const { conversation } = await started(steps, { textReply: 'wait' });
  await conversation.send('Go.');
  const limited = await conversation.run({ maxIterations: 2, onQuestion: () => 'Yes.' });
  expect(limited).toMatchObject({ reason: 'max-iterations', iterations: 2 });
  const onQuestion = async () => {
    await conversation.send('Stop it.');
    return undefined;
  };
  expect(await conversation.run({ onQuestion })).toMatchObject({ reason: 'finished', iterations: 2 });
});
