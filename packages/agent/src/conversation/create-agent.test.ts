import { expect, test } from 'vitest';
import * as z from 'zod';
import type { LanguageModel } from '@varve/llm';
import { scriptedModel, scriptedServer } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal, toolKinds, wrapTool, type Tool } from '@varve/tools';
import { neverConfirm } from '../confirmation/policies.ts';
import { defineAgent } from '../agent/agent.ts';
import { toolset } from '../agent/toolset.ts';
import { createAgent } from './create-agent.ts';
import { readState } from '../log/read-log.ts';
import { countingTool } from '../testing/counting-tool.ts';

test('an agent answers a message with the text of its final reply', async () => {
  await using agent = createAgent({ model: scriptedModel([{ text: 'Hello.' }]) });
  expect(await agent.run('Hi.')).toMatchObject({ reason: 'finished', text: 'Hello.' });
});

test('the default tools are those of a coding agent', async () => {
  await using agent = createAgent({ model: scriptedModel([{ text: 'Hello.' }]) });
  const { tools } = (await agent.conversation()).request();
  expect(tools.map(({ name }) => name)).toEqual(['terminal', 'file_editor', 'task_tracker', 'think', 'finish']);
});

test('an agent without a policy asks about what cannot be undone, and about calls of unknown risk', async () => {
  const { tool, runs } = countingTool();
  const calls = [
    { name: 'terminal', arguments: { command: 'rm -rf ../outside', security_risk: 'LOW' } },
    { name: 'record', arguments: { text: 'a' } },
  ];
  for (const call of calls) {
    const model = scriptedModel([{ calls: [call] }, { text: 'Done.' }]);
    await using agent = createAgent({ model, tools: () => [terminal(), tool()] });
    expect(await agent.run('Go.')).toMatchObject({ reason: 'waiting' });
    expect([...runs]).toEqual([]);
    const conversation = await agent.conversation();
    await conversation.reject('No.');
    expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'Done.' });
  }
});

test('a run that waits has its calls and their digest, and its text names them', async () => {
  const { tool, runs } = countingTool();
  const model = scriptedModel([{ calls: [{ name: 'record', arguments: { text: 'a' } }] }, { text: 'Done.' }]);
  await using agent = createAgent({ model, tools: () => [tool()] });
  const end = await agent.run('Go.');
  if (end.reason !== 'waiting') throw new Error(end.reason);
  expect(end.text).toBe('No answer: the run waits for the approval of record.');
  expect(end.calls.map(({ event }) => event.tool_call.arguments)).toEqual(['{"text":"a"}']);
  const conversation = await agent.conversation();
  expect(end.digest).toBe(conversation.digestOf());
  expect(await conversation.run()).toMatchObject({ reason: 'waiting', digest: end.digest });
  await expect(conversation.approve({ digest: '0'.repeat(64) })).rejects.toMatchObject({ code: 'calls-changed' });
  await conversation.approve({ digest: end.digest });
  expect((await conversation.run()).text).toBe('Done.');
  expect([...runs]).toEqual([['a', 1]]);
});

test('an agent without a policy does not ask about reading, nor about a tool with the effect read', async () => {
  const { tool, runs } = countingTool({ effect: 'read' });
  const own = scriptedModel([{ calls: [{ name: 'record', arguments: { text: 'a' } }] }, { text: 'Done.' }]);
  await using reading = createAgent({ model: own, tools: () => [tool()] });
  expect((await reading.run('Go.')).text).toBe('Done.');
  expect(runs.size).toBe(1);
  const model = scriptedModel([{ calls: [{ name: 'terminal', arguments: { command: 'ls' } }] }, { text: 'Done.' }]);
  await using agent = createAgent({ model });
  expect(await agent.run('Go.')).toMatchObject({ reason: 'finished' });
});

test('later messages continue the same conversation, in the given store', async () => {
  await using store = memoryStore();
  const { tool, runs } = countingTool();
  const model = scriptedModel([
    { calls: [{ name: 'record', arguments: { text: 'a' } }] },
    { text: 'One.' },
    { text: 'Two.' },
  ]);
  const agent = createAgent({ model, store, tools: () => [tool(), finish()], confirmation: neverConfirm() });
  expect((await agent.run('First.')).text).toBe('One.');
  expect((await agent.run('Second.')).text).toBe('Two.');
  const { id } = await agent.conversation();
  await agent[Symbol.asyncDispose]();
  expect([...runs]).toEqual([['a', 1]]);
  expect(await readState(await store.read(id))).toMatchObject({ status: 'finished', stats: { total: { calls: 3 } } });
});

test('the text of a run without a final message names the reason', async () => {
  const { tool } = countingTool();
  const model = scriptedModel([{ calls: [{ name: 'record', arguments: { text: 'a' } }] }]);
  await using agent = createAgent({ model, tools: () => [tool()], confirmation: neverConfirm() });
  expect(await agent.run('Go.', { maxIterations: 1 })).toMatchObject({
    reason: 'max-iterations',
    text: 'No answer: the run reached its limit (max-iterations).',
  });
});

test('a model reference is called with its key, and the key is masked in the log', async () => {
  await using server = await scriptedServer([{ text: 'The key is sk-secret-1234.' }]);
  await using agent = createAgent({ model: 'openai/scripted', apiKey: 'sk-secret-1234', baseUrl: server.url });
  expect((await agent.run('Hi.')).text).toBe('The key is <secret-hidden>.');
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer sk-secret-1234');
});

test('the key of the provider is taken from the keys', async () => {
  const keys = { OPENAI_API_KEY: 'sk-secret-1234', PATH: '/bin' };
  await using agent = createAgent({ model: 'openai/gpt-5', keys });
  expect(JSON.stringify(agent.definition.spec)).not.toContain('sk-secret');
});

test('a model reference without a key that it needs is invalid', () => {
  expect(() => createAgent({ model: 'openai/gpt-5', apiKey: ' ' })).toThrow(
    expect.objectContaining({
      code: 'invalid',
      message: 'The model openai/gpt-5 needs an API key: pass apiKey or keys.',
    }),
  );
});

test('an answer in the form of a schema is typed, checked and part of the result', async () => {
  const answer = { message: 'Done.', files: ['a.ts'], risk: 2 };
  const wrong = { ...answer, risk: 9 };
  const model = scriptedModel([wrong, answer].map((message) => ({ calls: [{ name: 'finish', arguments: message }] })));
  const output = z.object({ files: z.array(z.string()), risk: z.number().max(5) });
  await using agent = createAgent({ model, output });
  const result = await agent.run('Review it.');
  const files: readonly string[] | undefined = result.output?.files;
  expect(files).toEqual(['a.ts']);
  expect(result).toMatchObject({ reason: 'finished', text: 'Done.', iterations: 2, output: { risk: 2 } });
  expect(await (await agent.conversation()).run()).toMatchObject({ output: { files: ['a.ts'], risk: 2 } });
});

test('an answer in the form of a JSON Schema is untyped', async () => {
  const model = scriptedModel([{ calls: [{ name: 'finish', arguments: { message: 'Done.', count: 3 } }] }]);
  const output = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
  await using agent = createAgent({ model, output });
  expect((await agent.run('Count.')).output?.['count']).toBe(3);
});

test('a prompt can be a string', async () => {
  await using agent = createAgent({ model: scriptedModel([{ text: 'Hello.' }]), prompt: 'You answer in one word.' });
  await agent.run('Greet.');
  const { state } = await agent.conversation();
  expect(JSON.stringify(state.view.events[0])).toContain(
    '"system_prompt":{"cache_prompt":false,"type":"text","text":"You answer in one word."}',
  );
});

test('code runs before and after each call of the model and of the tools, and the spec stays', async () => {
  const seen: string[] = [];
  const { tool, runs } = countingTool();
  const model = scriptedModel([{ calls: [{ name: 'record', arguments: { text: 'a' } }] }, { text: 'Done.' }]);
  const options = {
    wrapModel: (inner: LanguageModel): LanguageModel => ({
      ...inner,
      async generate(request, control) {
        seen.push(`asks with ${request.messages.length}`);
        const reply = await inner.generate(request, control);
        seen.push(`replies ${reply.finish}`);
        return reply;
      },
    }),
    wrapTool: (inner: Tool): Tool =>
      wrapTool(inner, async ({ tool: { name }, input }, execute) => {
        seen.push(`calls ${name} ${JSON.stringify(input)}`);
        const observation = await execute();
        seen.push(`read ${runs.get('a')}`);
        return observation;
      }),
  };
  await using agent = createAgent({ ...options, model, tools: () => [tool()], confirmation: neverConfirm() });
  expect((await agent.run('Go.')).text).toBe('Done.');
  const calls = ['asks with 2', 'replies tool-calls', 'calls record {"text":"a"}', 'read 1'];
  expect(seen).toEqual([...calls, 'asks with 4', 'replies stop']);
  const tools = toolset(['think', 'finish'], toolKinds());
  expect(defineAgent({ ...options, model, tools }).spec).toEqual(defineAgent({ model, tools }).spec);
});
