import { cp, mkdtemp, mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Json } from '@varve/events';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm, confirmRisky, neverConfirm } from '../src/confirmation/policies.ts';
import type { ConfirmationPolicy } from '../src/confirmation/confirmation-policy.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { ensembleRisk } from '../src/risk/ensemble-risk.ts';
import { modelRisk } from '../src/risk/model-risk.ts';
import { shellRisk } from '../src/risk/shell-risk.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const record = (text: string, risk = 'LOW'): ScriptedTurn => ({
  calls: [{ name: 'record', arguments: { security_risk: risk, text } }],
});
const workspace = process.cwd();

const agentWith = (steps: readonly ScriptedTurn[], changes: Partial<AgentOptions>) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [countingTool().tool(), finish()], ...changes });

/** A closed conversation whose first agent had `options`, and a function that opens it with other options. */
async function closed(options: Partial<AgentOptions>) {
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent: agentWith([], options), store, workspace });
  await conversation.send('Go.');
  const { id } = conversation;
  return {
    store,
    id,
    open: (steps: readonly ScriptedTurn[], changes: Partial<AgentOptions> = {}) =>
      Conversation.open({ agent: agentWith(steps, changes), store, id }),
  };
}

test.for([
  ['always', alwaysConfirm(), 'LOW', 'waiting'],
  ['risky, at a risk below its threshold', confirmRisky({ threshold: 'MEDIUM' }), 'LOW', 'max-iterations'],
  ['risky, at its threshold', confirmRisky({ threshold: 'MEDIUM' }), 'MEDIUM', 'waiting'],
  ['risky, without confirming unknown risks', confirmRisky({ confirmUnknown: false }), 'UNKNOWN', 'max-iterations'],
  ['risky, with analyzers', confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk()]) }), 'HIGH', 'waiting'],
  ['never', neverConfirm(), 'HIGH', 'max-iterations'],
] as const)('a stored policy is resumed: %s', async ([, confirmation, risk, reason]) => {
  const { open, store, id } = await closed({ confirmation });
  await using conversation = await open([record('a', risk)]);
  expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason });
  expect((await store.summary(id)).meta).toMatchObject({ agent: { confirmation_policy: confirmation.spec } });
});

test('a policy passed on opening wins, also if it is the default policy', async () => {
  const { open, store, id } = await closed({ confirmation: alwaysConfirm() });
  await using conversation = await open([record('a')], { confirmation: neverConfirm() });
  expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason: 'max-iterations' });
  expect((await store.summary(id)).meta).toMatchObject({ agent: { confirmation_policy: { kind: 'NeverConfirm' } } });
});

test('a policy that is set on a defined agent wins', async () => {
  const { store, id } = await closed({});
  const agent = defineAgent({ model: scriptedModel([record('a')]), tools: () => [countingTool().tool(), finish()] });
  await using conversation = await Conversation.open({ agent: { ...agent, confirmation: alwaysConfirm() }, store, id });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect((await store.summary(id)).meta).toMatchObject({ agent: { confirmation_policy: { kind: 'AlwaysConfirm' } } });
});

const askAnn: ConfirmationPolicy = { spec: { kind: 'AskAnn' }, review: () => ({ asks: true }) };
const rule = { id: 'own.rule', risk: 'HIGH', matches: () => true } as const;

test.for([
  ['a custom policy', askAnn],
  ['an analyzer with custom rules', confirmRisky({ analyzer: shellRisk({ rules: [rule] }) })],
  [
    'a custom analyzer',
    confirmRisky({
      analyzer: ensembleRisk([modelRisk(), { spec: { kind: 'Own' }, assess: () => ({ risk: 'LOW', reasons: [] }) }]),
    }),
  ],
] as const)('opening fails on %s until the agent has a policy', async ([, confirmation]) => {
  const { open } = await closed({ confirmation });
  await expect(open([])).rejects.toMatchObject({ code: 'policy-missing' });
  await using conversation = await open([record('a')], { confirmation: askAnn });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
});

test('stored limits are resumed, unless limits are given, which replace all of them', async () => {
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
  ['no rules, but the agent has some', 'never', { stuck: { repeatedResults: 2 } }, 'stuck'],
] as const)('stored stuck rules are restored: %s', async ([, stuck, stuckOptions, reason]) => {
  const { open } = await closed({ stuck });
  await using conversation = await open(
    Array.from({ length: 4 }, () => record('same')),
    stuckOptions,
  );
  expect(await conversation.run({ maxIterations: 4 })).toMatchObject({ reason });
});

test('a fork with another agent keeps the stored policies that the agent does not set', async () => {
  const { open } = await closed({ confirmation: askAnn, budget: { maxCalls: 1 } });
  await using conversation = await open([], { confirmation: askAnn });
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

test('the policy that the reference stores next to the agent is resumed', async () => {
  const [store, id] = [memoryStore(), 'a'.repeat(32)];
  const log = await store.create(id, { workspace, confirmation_policy: { kind: 'AlwaysConfirm' } });
  await log[Symbol.asyncDispose]();
  await using conversation = await Conversation.open({ agent: agentWith([record('a')], {}), store, id });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
});

test('the policy of a directory that only the reference used is resumed', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using store = await directoryStore({ path: root.path });
  const made = { agent: agentWith([], { confirmation: alwaysConfirm() }), store, workspace };
  const { id } = await (async () => {
    await using conversation = await Conversation.create(made);
    await conversation.send('Go.');
    return conversation;
  })();
  // Without this file the directory has only the files of the reference.
  await rm(join(root.path, id, '.varve', 'meta.json'));
  await using conversation = await Conversation.open({ agent: agentWith([record('a')], {}), store, id });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
});

/** Sets fields of the state as the reference does, with one update event each. */
async function updated(store: EventStore, id: string, ...fields: readonly (readonly [key: string, value?: Json])[]) {
  await using log = await store.open(id);
  const kind = 'ConversationStateUpdateEvent';
  for (const [key, value] of fields) {
    const event = { id: `update-${await log.head()}`, timestamp: '2026-11-20T23:41:43.907041', source: 'environment' };
    const text = JSON.stringify({ ...event, parent_id: '__root__', key, value, kind });
    await log.append([{ id: event.id, kind, parentId: '__root__', text }]);
  }
}

const always = { kind: 'AlwaysConfirm' };
const risky = { threshold: 'MEDIUM', confirm_unknown: true, kind: 'ConfirmRisky' };
const byModel = { kind: 'LLMSecurityAnalyzer' };

test.for<readonly [string, readonly (readonly [string, Json])[], string, string]>([
  ['one', [['confirmation_policy', always]], 'LOW', 'waiting'],
  ['the last one', [always, risky].map((policy) => ['confirmation_policy', policy] as const), 'LOW', 'max-iterations'],
  [
    'with an analyzer',
    [risky, byModel].map((spec, index) => [index ? 'security_analyzer' : 'confirmation_policy', spec] as const),
    'MEDIUM',
    'waiting',
  ],
  ['in a full state', [['full_state', { confirmation_policy: always, tags: {} }]], 'LOW', 'waiting'],
])('a policy that an event set replaces the one stored next to the log: %s', async ([, updates, risk, reason]) => {
  const { store, id, open } = await closed({ confirmation: neverConfirm() });
  await updated(store, id, ...updates);
  await using conversation = await open([record('a', risk)]);
  expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason });
});

test('an event can lift a policy, and an analyzer that it does not name stays', async () => {
  const { store, id, open } = await closed({ confirmation: confirmRisky({ analyzer: shellRisk() }) });
  await updated(store, id, ['confirmation_policy', { ...risky, threshold: 'LOW' }]);
  {
    await using conversation = await open([record('a')]);
    await conversation.run({ maxIterations: 1 });
    expect((await store.summary(id)).meta).toMatchObject({ agent: { security_analyzer: shellRisk().spec as object } });
    await conversation.reject('No.');
  }
  await updated(store, id, ['confirmation_policy', { kind: 'NeverConfirm' }]);
  await using conversation = await open([record('a', 'HIGH')]);
  expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason: 'max-iterations' });
});

test('a policy that is given after that event counts, and is resumed, in a fork too', async () => {
  const { store, id, open } = await closed({});
  await updated(store, id, ['confirmation_policy', { kind: 'NeverConfirm' }]);
  let forkId = '';
  {
    await using conversation = await open([], { confirmation: alwaysConfirm() });
    await using fork = await conversation.fork();
    forkId = fork.id;
    await conversation.send('Continue.');
  }
  await using conversation = await open([record('a')]);
  expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason: 'waiting' });
  await using fork = await Conversation.open({ agent: agentWith([record('a')], {}), store, id: forkId });
  expect(await fork.run({ maxIterations: 1 })).toMatchObject({ reason: 'waiting' });
});

test.for<readonly [string, readonly [string, Json?]]>([
  ['that is unknown', ['confirmation_policy', { kind: 'AskBob' }]],
  ['with invalid fields', ['confirmation_policy', { kind: 'ConfirmRisky', threshold: 7 }]],
  ['that is not an object', ['confirmation_policy', 'AlwaysConfirm']],
  ['without a value', ['confirmation_policy']],
])('opening fails on a policy %s that an event set, until the agent has a policy', async ([, update]) => {
  const { store, id, open } = await closed({});
  await updated(store, id, update);
  await expect(open([])).rejects.toMatchObject({
    code: 'policy-missing',
    message: expect.stringMatching(/: give it one\.$/),
  });
  await using conversation = await open([record('a')], { confirmation: askAnn });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
});

test('a policy that an event set is restored from a snapshot', async () => {
  const { store, id, open } = await closed({});
  await updated(
    store,
    id,
    ['confirmation_policy', always],
    ...Array.from({ length: 100 }, () => ['tags', {}] as const),
  );
  for (const _ of ['folded', 'restored']) {
    await using conversation = await open([record('a')]);
    expect(conversation.state.head).toBeGreaterThan(100);
    await conversation.send('Continue.');
    expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason: 'waiting' });
  }
});

const foreignId = '7eb1c77e91b04610adb1508216c51d5d';
const fixture = fileURLToPath(new URL(`../../../tests/fixtures/openhands-conversations/${foreignId}`, import.meta.url));

test('a policy of a conversation of the reference is resumed', async () => {
  const path = await mkdtemp(join(tmpdir(), 'resume-'));
  try {
    await cp(fixture, join(path, foreignId), { recursive: true });
    await using store = await directoryStore({ path });
    const agent = agentWith([record('a')], {});
    await using conversation = await Conversation.open({
      agent,
      store,
      id: foreignId,
      workspace,
      missingTools: 'accept',
    });
    await conversation.send('Go.');
    expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason: 'waiting' });
  } finally {
    await rm(path, { recursive: true });
  }
});
