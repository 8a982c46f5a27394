import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from './agent.ts';
import { alwaysConfirm } from './always-confirm.ts';
import { confirmRisky } from './confirm-risky.ts';
import type { ConfirmationPolicy } from './confirmation.ts';
import { Conversation } from './conversation.ts';
import { neverConfirm } from './never-confirm.ts';
import { ensembleRisk } from './risk/ensemble-risk.ts';
import { modelRisk } from './risk/model-risk.ts';
import { shellRisk } from './risk/shell-risk.ts';
import { countingTool } from './testing/counting-tool.ts';

const record = (text: string, risk = 'LOW'): ScriptedTurn => ({
  calls: [{ name: 'record', arguments: { security_risk: risk, text } }],
});
const workspace = process.cwd();

const agentWith = (steps: readonly ScriptedTurn[], given: Partial<AgentOptions>) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [countingTool().tool(), finish()], ...given });

/** A conversation whose first agent had these options, closed again; and a way to open it with others. */
async function closed(options: Partial<AgentOptions>) {
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent: agentWith([], options), store, workspace });
  await conversation.send('Go.');
  const { id } = conversation;
  return {
    store,
    id,
    open: (steps: readonly ScriptedTurn[], given: Partial<AgentOptions> = {}) =>
      Conversation.open({ agent: agentWith(steps, given), store, id }),
  };
}

test.for([
  ['always', alwaysConfirm(), 'LOW', 'waiting'],
  ['risky, at a risk below its threshold', confirmRisky({ threshold: 'MEDIUM' }), 'LOW', 'max-iterations'],
  ['risky, at its threshold', confirmRisky({ threshold: 'MEDIUM' }), 'MEDIUM', 'waiting'],
  ['risky without a fear of the unknown', confirmRisky({ confirmUnknown: false }), 'UNKNOWN', 'max-iterations'],
  ['risky by analyzers', confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk()]) }), 'HIGH', 'waiting'],
  ['never', neverConfirm(), 'HIGH', 'max-iterations'],
] as const)('a policy that was stored goes on: %s', async ([, confirmation, risk, reason]) => {
  const { open, store, id } = await closed({ confirmation });
  await using conversation = await open([record('a', risk)]);
  expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason });
  expect((await store.summary(id)).meta).toMatchObject({ agent: { confirmation_policy: confirmation.spec } });
});

test('a policy that is given counts, also if it is the one that an agent has by default', async () => {
  const { open, store, id } = await closed({ confirmation: alwaysConfirm() });
  await using conversation = await open([record('a')], { confirmation: neverConfirm() });
  expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason: 'max-iterations' });
  expect((await store.summary(id)).meta).toMatchObject({ agent: { confirmation_policy: { kind: 'NeverConfirm' } } });
});

test('a policy counts that was put into an agent made without one', async () => {
  const { store, id } = await closed({});
  const agent = defineAgent({ model: scriptedModel([record('a')]), tools: () => [countingTool().tool(), finish()] });
  await using conversation = await Conversation.open({ agent: { ...agent, confirmation: alwaysConfirm() }, store, id });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect((await store.summary(id)).meta).toMatchObject({ agent: { confirmation_policy: { kind: 'AlwaysConfirm' } } });
});

const own: ConfirmationPolicy = { spec: { kind: 'AskAnn' }, asks: () => true };
const rule = { id: 'own.rule', risk: 'HIGH', matches: () => true } as const;

test.for([
  ['a policy of somebody’s own', own],
  ['an analyzer with rules of somebody’s own', confirmRisky({ analyzer: shellRisk({ rules: [rule] }) })],
  [
    'an analyzer of somebody’s own',
    confirmRisky({ analyzer: ensembleRisk([modelRisk(), { spec: { kind: 'Own' }, riskOf: () => 'LOW' }]) }),
  ],
] as const)('%s is never left out in silence: the agent must be given one', async ([, confirmation]) => {
  const { open } = await closed({ confirmation });
  await expect(open([])).rejects.toMatchObject({ code: 'policy-missing' });
  await using conversation = await open([record('a')], { confirmation: own });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
});

test('limits that were stored go on, unless limits are given: then all of those count', async () => {
  const { open } = await closed({ budget: { maxIterations: 1, maxCalls: 2 } });
  {
    await using conversation = await open([record('a')]);
    expect(await conversation.run()).toMatchObject({ reason: 'max-iterations', iterations: 1 });
  }
  {
    await using conversation = await open([record('b'), record('c')], { budget: { maxCalls: 3 } });
    expect(await conversation.run()).toMatchObject({ reason: 'max-calls', iterations: 2 });
  }
  await using conversation = await open([record('d')]);
  expect(await conversation.run()).toMatchObject({ reason: 'max-calls', iterations: 0 });
});

test.for([
  ['rules', { repeatedResults: 2 }, {}, 'stuck'],
  ['no rules', 'never', {}, 'max-iterations'],
  ['no rules, but some are given', 'never', { stuck: { repeatedResults: 2 } }, 'stuck'],
] as const)('when it is stuck was stored: %s', async ([, stuck, given, reason]) => {
  const { open } = await closed({ stuck });
  await using conversation = await open(
    Array.from({ length: 4 }, () => record('same')),
    given,
  );
  expect(await conversation.run({ maxIterations: 4 })).toMatchObject({ reason });
});

test('a fork with another agent keeps the policies that this one was given none of', async () => {
  const { open } = await closed({ confirmation: own, budget: { maxCalls: 1 } });
  await using conversation = await open([], { confirmation: own });
  const agent = defineAgent({
    model: scriptedModel([record('a')]),
    tools: () => [countingTool().tool(), finish()],
  });
  await using fork = await conversation.fork({ agent });
  await fork.send('Go.');
  expect(await fork.run()).toMatchObject({ reason: 'waiting' });
  await fork.reject('No.');
  expect(await fork.run()).toMatchObject({ reason: 'max-calls' });
});

test('the policy that the reference keeps beside the agent is taken up', async () => {
  const { store, id, open } = await closed({});
  const foreign = { ...Object((await store.summary(id)).meta), confirmation_policy: { kind: 'AlwaysConfirm' } };
  {
    await using log = await store.open(id);
    await log.append([], { meta: foreign });
  }
  await using conversation = await open([record('a')]);
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
});
