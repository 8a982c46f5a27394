import { expect, test } from 'vitest';
import { textOf } from '@varve/events';
import { UserRejectObservation } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish, think, type Tool } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm, confirmRisky } from '../src/confirmation/policies.ts';
import type { ConfirmationPolicy } from '../src/confirmation/confirmation-policy.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import type { RiskAnalyzer } from '../src/risk/risk-analyzer.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const twoRecords: ScriptedTurn = { calls: ['a', 'b'].map((text) => ({ name: 'record', arguments: { text } })) };

interface Setup {
  readonly steps: readonly ScriptedTurn[];
  readonly policy?: ConfirmationPolicy;
  readonly store?: EventStore;
  /** Called before each execution of `record`. */
  readonly before?: () => Promise<void> | undefined;
}

async function waiting({ steps, policy = alwaysConfirm(), store = memoryStore(), before }: Setup) {
  const { tool, runs } = countingTool();
  const model = scriptedModel(steps);
  const record = (): Tool => {
    const inner = tool();
    const execute: Tool['execute'] = async (input, context) => {
      await before?.();
      return inner.execute(input, context);
    };
    return { ...inner, execute };
  };
  const agent = defineAgent({ model, tools: () => [record(), think(), finish()], confirmation: policy });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, runs, model, agent, store, result: await conversation.run() };
}

test('calls wait, and running again does not run them', async () => {
  const { conversation, runs, result } = await waiting({ steps: [twoRecords, done] });
  expect(result.reason).toBe('waiting');
  expect(await conversation.run()).toMatchObject({ reason: 'waiting', iterations: 0 });
  expect(runs.size).toBe(0);
  expect(conversation.state.status).toBe('waiting_for_confirmation');
});

test('approved calls run once, and the run continues to the end', async () => {
  const { conversation, runs } = await waiting({ steps: [twoRecords, done] });
  await conversation.approve();
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs.values()]).toEqual([1, 1]);
});

test('approving one call leaves the other waiting', async () => {
  const { conversation, runs } = await waiting({ steps: [twoRecords, done] });
  const [first] = conversation.state.pending;
  await conversation.approve({ actionIds: [first?.event.id ?? ''] });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect([...runs.keys()]).toEqual(['a']);
  expect(conversation.state.pending).toHaveLength(1);
});

test.for(['reject', 'approve'] as const)(
  'a run does not wait for calls that were decided while it executed others: %s',
  async (decide) => {
    const late: { decide?: () => Promise<void> } = {};
    const { conversation, runs } = await waiting({ steps: [twoRecords, done], before: () => late.decide?.() });
    late.decide = async () => {
      delete late.decide;
      await (decide === 'reject' ? conversation.reject('No.') : conversation.approve());
    };
    await conversation.approve({ actionIds: [conversation.state.pending[0]?.event.id ?? ''] });
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
    expect([...runs.keys()]).toEqual(decide === 'reject' ? ['a'] : ['a', 'b']);
  },
);

test('rejected calls never run, and the model reads the reason', async () => {
  const { conversation, runs } = await waiting({ steps: [twoRecords, done] });
  await conversation.reject('Not on a Friday.');
  const { messages } = conversation.request();
  expect(textOf(messages.at(-1)?.content ?? [])).toContain('Not on a Friday.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(runs.size).toBe(0);
});

test('a message while waiting rejects the calls with the message as the reason', async () => {
  const { conversation, runs } = await waiting({ steps: [twoRecords, done] });
  await conversation.send('No, do something else.');
  expect(conversation.state.pending).toEqual([]);
  const reasons: string[] = [];
  for await (const { event } of conversation.events()) {
    if (UserRejectObservation.is(event)) reasons.push(event.rejection_reason);
  }
  expect(reasons).toEqual(['No, do something else.', 'No, do something else.']);
  await conversation.run();
  expect(runs.size).toBe(0);
});

test('waiting and approval survive a restart', async () => {
  const { conversation, agent, store, runs } = await waiting({ steps: [twoRecords, done] });
  await conversation.approve();
  await conversation[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent, store, id: conversation.id });
  expect(again.state.pending.map(({ approvedDigest }) => approvedDigest)).not.toContain(undefined);
  expect(await again.run()).toMatchObject({ reason: 'finished' });
  expect([...runs.values()]).toEqual([1, 1]);
});

test('approving without pending calls, or an unknown one, is refused', async () => {
  const { conversation } = await waiting({ steps: [twoRecords, done] });
  await expect(conversation.approve({ actionIds: ['nope'] })).rejects.toMatchObject({ code: 'nothing-pending' });
  await conversation.reject('no');
  await expect(conversation.approve()).rejects.toMatchObject({ code: 'nothing-pending' });
  await expect(conversation.reject('no')).rejects.toMatchObject({ code: 'nothing-pending' });
});

test('an approval with a digest covers the calls that have it, and no others', async () => {
  const { conversation, runs } = await waiting({ steps: [twoRecords, done] });
  const [first, second] = conversation.state.pending;
  const askedDigest = conversation.digestOf();
  for (const other of [[], first ? [first] : [], [second, first].flatMap((call) => call ?? [])]) {
    const digest = conversation.digestOf(other);
    expect(digest).not.toBe(askedDigest);
    await expect(conversation.approve({ digest })).rejects.toMatchObject({ code: 'calls-changed' });
  }
  const digest = conversation.digestOf(first ? [first] : []);
  await conversation.approve({ actionIds: [first?.event.id ?? ''], digest });
  expect(conversation.digestOf()).toBe(askedDigest);
  await conversation.approve({ digest: askedDigest.slice(0, 16) });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs.values()]).toEqual([1, 1]);
});

test('an approval of calls that were replaced in the meantime approves nothing', async () => {
  const { conversation, runs, agent, store } = await waiting({ steps: [twoRecords, twoRecords, done] });
  const digest = conversation.digestOf();
  await conversation.reject('Something else.');
  await conversation.run();
  await conversation[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent, store, id: conversation.id });
  await expect(again.approve({ digest: digest })).rejects.toMatchObject({ code: 'calls-changed' });
  expect(await again.run()).toMatchObject({ reason: 'waiting' });
  expect(runs.size).toBe(0);
});

test.for(['', 'yes', '0123456789abcde', 'X'.repeat(64), '0'.repeat(65)])(
  'the digest %j is refused as malformed',
  async (digest) => {
    const { conversation } = await waiting({ steps: [twoRecords, done] });
    await expect(conversation.approve({ digest })).rejects.toMatchObject({ code: 'invalid' });
  },
);

test('a single finish or think never waits, but together with another call it does', async () => {
  const thought: ScriptedTurn = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
  expect((await waiting({ steps: [thought, done] })).result.reason).toBe('finished');
  const both: ScriptedTurn = { calls: [...(thought.calls ?? []), ...(twoRecords.calls ?? [])] };
  expect((await waiting({ steps: [both, done] })).result.reason).toBe('waiting');
});

test.for([
  ['LOW', 'finished'],
  ['MEDIUM', 'finished'],
  ['HIGH', 'waiting'],
  ['UNKNOWN', 'waiting'],
  [undefined, 'waiting'],
] as const)('risky: a call that the model rates %s ends the run as %s', async ([risk, reason]) => {
  const call = { name: 'record', arguments: { ...(risk && { security_risk: risk }), text: 'a' } };
  const { result } = await waiting({ steps: [{ calls: [call] }, done], policy: confirmRisky() });
  expect(result.reason).toBe(reason);
});

test('a reply that only thinks and finishes does not wait', async () => {
  const calls = [{ name: 'think', arguments: { thought: 'Hm.' } }, ...(done.calls ?? [])];
  const { result } = await waiting({ steps: [{ calls }] });
  expect(result.reason).toBe('finished');
});

test('a tool with effects waits, even if it is called think', async () => {
  const { tool, runs } = countingTool({ name: 'think' });
  const model = scriptedModel([{ calls: [{ name: 'think', arguments: { text: 'a' } }] }]);
  const agent = defineAgent({ model, tools: () => [tool()], confirmation: alwaysConfirm() });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect(runs.size).toBe(0);
});

test('the verdict about a waiting call is stored with it, and a restart shows the same one', async () => {
  const store = memoryStore();
  const analyzer: RiskAnalyzer = {
    spec: { kind: 'Own' },
    assess: ({ action }) =>
      JSON.stringify(action).includes('"a"')
        ? { risk: 'HIGH', reasons: [{ risk: 'HIGH', text: 'the letter a', rule: 'own.letter' }] }
        : { risk: 'LOW', reasons: [] },
  };
  const { conversation, agent } = await waiting({ steps: [twoRecords], policy: confirmRisky({ analyzer }), store });
  const reviews = [
    { asks: true, verdict: { risk: 'HIGH', reasons: [{ risk: 'HIGH', text: 'the letter a', rule: 'own.letter' }] } },
    { asks: false, verdict: { risk: 'LOW', reasons: [] } },
  ];
  expect(conversation.state.pending.map(({ review }) => review)).toEqual(reviews);
  await conversation[Symbol.asyncDispose]();
  await using reopened = await Conversation.open({ agent, store, id: conversation.id });
  expect(reopened.state.pending.map(({ review }) => review)).toEqual(reviews);
});

test('an approval does not cover another workspace', async () => {
  const { conversation, runs, agent, store } = await waiting({ steps: [twoRecords, done] });
  await conversation.approve();
  await conversation[Symbol.asyncDispose]();
  const open = async (workspace?: string) =>
    Conversation.open({ agent, store, id: conversation.id, ...(workspace !== undefined && { workspace }) });
  {
    await using elsewhere = await open('/');
    expect(await elsewhere.run()).toMatchObject({ reason: 'waiting' });
    expect(runs.size).toBe(0);
    await elsewhere.approve();
  }
  await using again = await open('/');
  expect(await again.run()).toMatchObject({ reason: 'finished' });
  expect(runs.size).toBe(2);
});

const asked = (conversation: Conversation) => conversation.state.pending.map(({ review }) => review?.asks);

test('the stored reviews of waiting calls are those of the current policy', async () => {
  const [low, high, secret] = ['low', 'high', 'swordfish-0123'];
  const analyzer = (risky: string): RiskAnalyzer => ({
    spec: { kind: 'Mine', risky },
    assess: ({ action }) => {
      const text = JSON.stringify(action);
      return { risk: text.includes(risky) ? 'HIGH' : 'LOW', reasons: [{ risk: 'LOW', text: `${secret} ${text}` }] };
    },
  });
  const steps = [{ calls: [low, high].map((text) => ({ name: 'record', arguments: { text } })) }, done];
  const first = await waiting({ steps, policy: confirmRisky({ analyzer: analyzer(high) }) });
  expect(asked(first.conversation)).toEqual([false, true]);
  await first.conversation[Symbol.asyncDispose]();
  const { store, conversation } = first;
  for (const [confirmation, expected] of [
    [confirmRisky({ analyzer: analyzer(low) }), [true, false]],
    [alwaysConfirm(), [true, true]],
  ] as const) {
    const agent = defineAgent({ ...first.agent, confirmation });
    await using again = await Conversation.open({ agent, store, id: conversation.id, secrets: [secret] });
    expect(await again.run()).toMatchObject({ reason: 'waiting', iterations: 0 });
    expect(asked(again)).toEqual(expected);
    const { head } = again.state;
    await again.run();
    expect([again.state.head, JSON.stringify(again.state.pending).includes(secret)]).toEqual([head, false]);
  }
  expect(first.runs.size).toBe(0);
});

test('a call can be named twice when it is rejected or approved', async () => {
  for (const decision of ['reject', 'approve'] as const) {
    const { conversation, runs } = await waiting({ steps: [twoRecords, done] });
    const [id = ''] = conversation.state.pending.map(({ event }) => event.id);
    const actionIds = [id, id];
    await (decision === 'reject' ? conversation.reject('No.', { actionIds }) : conversation.approve({ actionIds }));
    expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
    expect([...runs]).toEqual(decision === 'reject' ? [] : [['a', 1]]);
  }
});

/** A policy that asks about the calls in a set, and counts its reviews. */
function countingPolicy(texts: ReadonlySet<string>) {
  const reviewed: string[] = [];
  const policy: ConfirmationPolicy = {
    spec: { kind: 'Counting' },
    review({ action }) {
      const { text } = (action as { readonly data?: { readonly text?: string } }).data ?? {};
      reviewed.push(text ?? action.kind);
      return { asks: texts.has(text ?? '') };
    },
  };
  return { policy, reviewed };
}

test('a call is reviewed once before it runs', async () => {
  const { policy, reviewed } = countingPolicy(new Set());
  const { result } = await waiting({ steps: [twoRecords, twoRecords, done], policy });
  expect(result.reason).toBe('finished');
  expect(reviewed).toEqual(['a', 'b', 'a', 'b']);
});

test('a policy that was replaced while a reply was being stored decides about its calls', async () => {
  const ask = countingPolicy(new Set(['a']));
  const pass = countingPolicy(new Set());
  const { conversation, runs } = await waiting({ steps: [], policy: pass.policy });
  expect(runs.size).toBe(0);
  const late: ConfirmationPolicy = {
    ...pass.policy,
    review(call) {
      void conversation.setConfirmation(ask.policy);
      return pass.policy.review(call);
    },
  };
  await conversation.setConfirmation(late);
  conversation.switchModel(scriptedModel([twoRecords, done]));
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect([runs.size, ask.reviewed]).toEqual([0, ['a', 'b']]);
});
