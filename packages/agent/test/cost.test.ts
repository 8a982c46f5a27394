import { expect, test } from 'vitest';
import { rollingWindow } from '@varve/condensers';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { readCost } from '../src/replay/read-cost.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const dollarsPerToken = 0.001;
const costOf = (
  _model: string,
  { input_tokens: input, cache_read_tokens: read }: { input_tokens: number; cache_read_tokens: number },
) => (input - read) * dollarsPerToken;

/** Reply with a call, whose request has `input` tokens, `read` of them cached. */
function turn(input: number, read: number, name = 'record'): ScriptedTurn {
  const usage = {
    input_tokens: input,
    output_tokens: 1,
    cache_read_tokens: read,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
  return {
    usage,
    costUsd: (input - read) * dollarsPerToken,
    calls: [{ name, arguments: name === 'finish' ? { message: 'Done.' } : { text: 'a' } }],
  };
}

const done = (input: number, read: number) => ({ turns: [turn(input, read, 'finish')] });

/** Runs one agent after another on the same conversation, and returns its cost. */
async function costAfter(
  ...sessions: readonly (Partial<AgentOptions> & { readonly turns: readonly ScriptedTurn[] })[]
) {
  await using store = memoryStore();
  let id = '';
  for (const { turns, ...options } of sessions) {
    const { tool } = countingTool();
    const agent = defineAgent({ model: scriptedModel(turns), tools: () => [tool(), finish()], ...options });
    const opening = { agent, store, workspace: process.cwd() };
    await using conversation = await (id === '' ? Conversation.create(opening) : Conversation.open({ ...opening, id }));
    ({ id } = conversation);
    await conversation.send('Go.');
    await conversation.run();
  }
  return await readCost(await store.read(id), costOf);
}

const kindsOf = ({ breaks }: Awaited<ReturnType<typeof costAfter>>) =>
  breaks.map(({ causes, tokens }) => [causes.map(({ kind }) => kind).join(), tokens]);

test('requests that extend each other break no cache', async () => {
  const cost = await costAfter({ turns: [turn(100, 0), turn(150, 100), turn(200, 128), turn(250, 200, 'finish')] });
  expect(cost.breaks).toEqual([]);
  expect(cost.steps.map(({ usage }) => usage.input_tokens)).toEqual([100, 150, 200, 250]);
  expect(cost.results.map(({ tool, requests }) => [tool, requests])).toEqual([
    ['record', 3],
    ['record', 2],
    ['record', 1],
  ]);
});

test('less than the server had cached, without a change of the request, is a break by the server', async () => {
  const cost = await costAfter({ turns: [turn(100, 0), turn(150, 100), turn(200, 20, 'finish')] });
  expect(kindsOf(cost)).toEqual([['server', 80]]);
  expect(cost.breaks[0]?.costUsd).toBeCloseTo(80 * dollarsPerToken);
});

test('a condensation is the cause of the break that follows it', async () => {
  const turns = [turn(100, 0), turn(150, 100), turn(200, 150), turn(250, 200), turn(120, 30), turn(160, 120, 'finish')];
  const cost = await costAfter({ turns, condenser: rollingWindow({ maxEvents: 9 }) });
  expect(kindsOf(cost)).toEqual([['condensation', 90]]);
  expect(cost.breaks[0]?.message?.at).toBeGreaterThan(0);
});

test('another list of tools, other parameters and another model are causes, with their names', async () => {
  const { tool } = countingTool();
  const tools = () => [tool(), { ...tool(), name: 'second' }, finish()];
  const cost = await costAfter(
    done(100, 10),
    { ...done(120, 100) },
    { ...done(200, 0), tools },
    { ...done(300, 0), tools, parameters: { temperature: 0.5 } },
    { tools, parameters: { temperature: 0.5 }, model: scriptedModel(done(400, 5).turns, { name: 'other' }), turns: [] },
  );
  expect(cost.breaks.map(({ causes, tokens }) => [causes[0]?.kind, causes[0]?.detail, tokens])).toEqual([
    ['tools', 'second', 120],
    ['parameters', 'temperature', 200],
    ['model', 'scripted, other', 295],
  ]);
});

test('a message that is merged with one after it breaks no cache', async () => {
  const [first, second] = [turn(100, 0), turn(150, 90, 'finish')];
  const unusable = { reasoning: 'Hm.', ...(first.usage && { usage: first.usage }) };
  expect(kindsOf(await costAfter({ turns: [unusable, second] }))).toEqual([]);
});

test('the price of a break is unknown where the prices do not explain the stored cost', async () => {
  const [first, second, third] = [turn(100, 0), turn(150, 100), turn(200, 20, 'finish')];
  const cost = await costAfter({ turns: [first, second, { ...third, costUsd: 7 }] });
  expect(cost.breaks.map(({ tokens, costUsd }) => [tokens, costUsd])).toEqual([[80, undefined]]);
});

test('a server that never reports cached tokens has breaks of changed requests, without tokens', async () => {
  const turns = [turn(100, 0), turn(150, 0), turn(200, 0), turn(250, 0), turn(120, 0), turn(160, 0, 'finish')];
  const cost = await costAfter({ turns, condenser: rollingWindow({ maxEvents: 9 }) });
  expect(kindsOf(cost)).toEqual([['condensation', undefined]]);
});
