import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const hang: ScriptedTurn = { fault: { kind: 'hang', afterPieces: 0 } };

async function started(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const { tool } = countingTool();
  const agent = defineAgent({ model, tools: () => [tool(), finish()], ...options });
  const conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, model };
}

const used = (text: string): ScriptedTurn => ({
  calls: [{ name: 'record', arguments: { text } }],
  costUsd: 0.6,
  usage: { input_tokens: 90, output_tokens: 10, cache_read_tokens: 80 },
});

test.for([
  [{ maxCostUsd: 1 }, 'max-cost', 'MaxBudgetReached'],
  [{ maxTokens: 200 }, 'max-tokens', 'MaxTokensReached'],
] as const)('%j of a run ends it as %s, and another run starts from zero', async ([limits, reason, code]) => {
  const { conversation } = await started([used('a'), used('b'), used('c'), used('d'), done]);
  expect(await conversation.run(limits)).toMatchObject({ reason, iterations: 2 });
  expect(conversation.state).toMatchObject({ status: 'error', error: { code } });
  expect(await conversation.run(limits)).toMatchObject({ reason, iterations: 2 });
  expect(await conversation.run(limits)).toMatchObject({ reason: 'finished' });
});

test('a limit of undefined falls back to the limit of the agent', async () => {
  const unset = { maxIterations: undefined } as unknown as { readonly maxIterations: number };
  const { conversation } = await started([used('a'), used('b'), done], { budget: { maxIterations: 1 } });
  expect(await conversation.run(unset)).toMatchObject({ reason: 'max-iterations', iterations: 1 });
  const { budget, textReply } = defineAgent({
    model: scriptedModel([]),
    tools: () => [],
    budget: unset,
    ...({ textReply: undefined } as unknown as Pick<AgentOptions, 'textReply'>),
  });
  expect([budget.maxIterations, textReply]).toEqual([500, 'finish']);
});

test.for([
  [{ maxCostUsd: 1 }, 'max-cost'],
  [{ maxTokens: 200 }, 'max-tokens'],
  [{ maxCalls: 2 }, 'max-calls'],
] as const)('%j of a conversation ends every later run immediately as %s', async ([budget, reason]) => {
  const { conversation, model } = await started([used('a'), used('b'), done], { budget });
  expect(await conversation.run()).toMatchObject({ reason, iterations: 2 });
  expect(await conversation.run()).toMatchObject({ reason, iterations: 0 });
  expect(model.requests).toHaveLength(2);
});

test('a run that takes too long ends in the middle of a step, and a later run continues', async () => {
  let isSlow = true;
  const step = (): ScriptedTurn => (isSlow ? hang : done);
  const { conversation } = await started([step, step]);
  expect(await conversation.run({ maxMs: 1 })).toMatchObject({ reason: 'max-time' });
  expect(conversation.state).toMatchObject({ status: 'error', error: { code: 'MaxTimeReached' }, pending: [] });
  isSlow = false;
  expect(await conversation.run({ maxMs: 600_000 })).toMatchObject({ reason: 'finished' });
});

test('a time limit that exceeds timers is rejected instead of ending immediately', async () => {
  const { conversation } = await started([done]);
  for (const maxMs of [2 ** 31, 2 ** 40]) await expect(conversation.run({ maxMs })).rejects.toThrow('timed');
  expect(await conversation.run({ maxMs: 2 ** 31 - 1 })).toMatchObject({ reason: 'finished' });
});

test('an interrupted run does not report a time limit', async () => {
  const { conversation } = await started([hang]);
  const running = conversation.run({ maxMs: 600_000 });
  await conversation.interrupt();
  expect(await running).toMatchObject({ reason: 'interrupted' });
});

test.for([{ maxTokens: 0 }, { maxCostUsd: -1 }, { maxMs: 0.5 }, { maxIterations: Number.NaN }])(
  'a run within %j is refused',
  async (limits) => {
    const { conversation } = await started([done]);
    await expect(conversation.run(limits)).rejects.toMatchObject({ code: 'invalid' });
  },
);

const cheap = (text: string): ScriptedTurn => ({ ...used(text), costUsd: 0.02 });

test('rounding errors of costs do not allow another step', async () => {
  const { conversation } = await started(['a', 'b', 'c', 'd'].map((text) => cheap(text)));
  await conversation.run({ maxIterations: 2 });
  expect(await conversation.run({ maxCostUsd: 0.02 })).toMatchObject({ reason: 'max-cost', iterations: 1 });
});

test('rounding errors of a cost limit do not allow another step', async () => {
  const steps = ['a', 'b', 'c', 'd'].map((text) => ({ ...used(text), costUsd: 0.1 }));
  const { conversation } = await started(steps);
  expect(await conversation.run({ maxCostUsd: 0.1 + 0.2 })).toMatchObject({ reason: 'max-cost', iterations: 3 });
});
