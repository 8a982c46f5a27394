import { expect, test } from 'vitest';
import { defineEvent, text, textOf, type BaseEvent } from '@varve/events';
import { callFact, condensationFact, maskFact } from '@varve/events/facts';
import { Condensation, ObservationEvent } from '@varve/events/kinds';
import { amortized, CondenserError, noCondensation, rollingWindow, type Condenser } from '@varve/condensers';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { verifyRequests } from '../src/replay/verify-requests.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const record = (line: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text: line } }] });
const usage = { input_tokens: 100, output_tokens: 10 };

interface StartOptions extends Partial<AgentOptions> {
  readonly store?: EventStore;
  readonly contextWindow?: number;
}

function agentOf(steps: readonly ScriptedStep[], { contextWindow, ...options }: Omit<StartOptions, 'store'>) {
  const { tool, runs } = countingTool();
  const model = scriptedModel(steps, contextWindow === undefined ? {} : { capabilities: { contextWindow } });
  return { model, runs, agent: defineAgent({ model, tools: () => [tool(), finish()], ...options }) };
}

async function started(steps: readonly ScriptedStep[], { store = memoryStore(), ...options }: StartOptions = {}) {
  const { agent, model, runs } = agentOf(steps, options);
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, model, runs, store };
}

const eventsOf = (conversation: Conversation) =>
  Array.fromAsync(conversation.events(), ({ event }): BaseEvent => event);
const factsOf = async (conversation: Conversation) =>
  (await eventsOf(conversation)).flatMap((event) => condensationFact.read(event) ?? []);

test.for<[string, Condenser, number]>([
  ['never condenses', noCondensation(), 1],
  ['counts events', amortized(), 1],
  ['counts tokens', amortized({ maxTokens: 100_000 }), 2],
])('tokens are estimated only for a condenser that asks: one that %s', async ([, condenser, expected]) => {
  let built = 0;
  const Note = defineEvent('Note', {
    source: 'user',
    fields: () => ({}),
    toMessage: () => {
      built += 1;
      return { role: 'user', content: [text('Note.')], thinking_blocks: [] };
    },
  });
  const { agent } = agentOf([{ ...record('a'), usage }, done], { condenser });
  await using conversation = await Conversation.create({
    agent,
    store: memoryStore(),
    kinds: [Note],
    workspace: process.cwd(),
  });
  await conversation.record((stamp) => Note.create({}, stamp));
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(built).toBe(expected);
});

/** Answers with the first result of `condense` that is not undefined, else leaves the view alone. */
const custom = (condense: Condenser['condense']): Condenser => ({ spec: { kind: 'test' }, condense });
const unmasked = (events: readonly BaseEvent[]) =>
  events.filter((event) => ObservationEvent.is(event) && event.observation.kind !== 'MaskedObservation');

test('a mask plan is stored, and later requests contain the mask and are verified from the log', async () => {
  const condenser = custom(async (view) => {
    const [first] = unmasked(view.events);
    return first && view.events.at(-1) !== first
      ? { kind: 'mask', masks: [{ eventIds: [first.id], text: 'Omitted.' }] }
      : view;
  });
  const { conversation, model, store } = await started([record('aaa'), record('bbb'), done], { condenser });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  const contents = model.requests
    .at(-1)
    ?.messages.flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []));
  expect(contents).toEqual(['Omitted.', 'Recorded bbb.']);
  expect((await eventsOf(conversation)).flatMap((event) => maskFact.read(event) ?? [])).toHaveLength(1);
  expect(await factsOf(conversation)).toEqual([
    expect.objectContaining({ condenser: 'test', masked: 1, reason: 'check' }),
  ]);
  const log = await store.read(conversation.id);
  const checks = await Array.fromAsync(verifyRequests(log));
  expect(checks.map(({ messages }) => messages)).toEqual(['same', 'same', 'same']);
});

test('another view is stored as what it forgets and masks', async () => {
  const condenser = custom(async (view) => {
    const [, , ...steps] = view.events;
    return steps.length > 2 ? { ...view, events: [...view.events.slice(0, 2), ...view.events.slice(-2)] } : view;
  });
  const { conversation } = await started([record('a'), record('b'), done], { condenser });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  const condensation = (await eventsOf(conversation)).find((event) => Condensation.is(event));
  expect(condensation?.forgotten_event_ids).toHaveLength(2);
  expect(await factsOf(conversation)).toEqual([
    expect.objectContaining({ forgotten: { ActionEvent: 1, ObservationEvent: 1 }, condensation_id: condensation?.id }),
  ]);
});

/** Summarises everything between the opening and the last two events once, with the agent's model. */
const summariser = custom(async (view, { callModel }) => {
  const { events } = view;
  if (events.length < 6 || events.some(({ kind }) => kind === 'CondensationSummaryEvent')) return view;
  const content = [{ type: 'text' as const, text: 'Summarise.', cache_prompt: false }];
  const reply = await callModel({
    messages: [{ role: 'user', content, thinking_blocks: [] }],
    tools: [],
    parameters: {},
  });
  const forget = events.slice(2, -2).map(({ id }) => id);
  return {
    kind: 'condensation',
    forget,
    summary: textOf(reply.message.content),
    summaryOffset: 2,
    responseId: reply.id,
  };
});

test('usage and cost of a condenser are stored under its usage id and count in every budget', async () => {
  const summary: ScriptedTurn = { text: 'Recorded a and b.', usage };
  const steps = [record('a'), record('b'), summary, record('c'), done];
  const { conversation } = await started(steps, { condenser: summariser, budget: { maxCalls: 4 } });
  expect(await conversation.run()).toMatchObject({ reason: 'max-calls' });
  const { byUsageId } = conversation.state.stats;
  expect(byUsageId['condenser']).toMatchObject({ calls: 1, input_tokens: 100, output_tokens: 10 });
  expect(byUsageId['agent']?.calls).toBe(3);
  const events = await eventsOf(conversation);
  const call = events.flatMap((event) => callFact.read(event) ?? []).find(({ usage_id: id }) => id === 'condenser');
  const condensation = events.find((event) => Condensation.is(event));
  expect(condensation).toMatchObject({ llm_response_id: call?.response_id, summary: 'Recorded a and b.' });
});

/** Runs until the process dies at one append, which is stored; returns the store as the next process finds it. */
async function crashedAt(at: number, steps: readonly ScriptedStep[], options: StartOptions): Promise<EventStore> {
  const disk = memoryStore();
  const { conversation } = await started(steps, { ...options, store: crashingStore(disk, { at, stored: true }) });
  await expect(conversation.run()).rejects.toThrow(Crash);
  await conversation[Symbol.asyncDispose]().catch(() => undefined);
  return disk;
}

test('a condensation that was paid for and then lost in a crash stays counted, and is made again', async () => {
  const steps = [record('a'), record('b'), { text: 'Summary.', usage }, done];
  const options = { condenser: summariser };
  const { conversation: whole } = await started(steps, options);
  await whole.run();
  expect((await eventsOf(whole)).some((event) => Condensation.is(event))).toBe(true);
  let lost = 0;
  for (let at = 4; lost === 0 && at < 20; at++) {
    const store = await crashedAt(at, steps, options);
    const [summary] = (await store.list({})).items;
    const { agent } = agentOf([{ text: 'Summary again.', usage }, done], options);
    await using conversation = await Conversation.open({ agent, store, id: summary?.id ?? '' });
    const before = await eventsOf(conversation);
    const isPaid = conversation.state.stats.byUsageId['condenser']?.calls === 1;
    if (!isPaid || before.some((event) => Condensation.is(event))) continue;
    lost++;
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
    expect(conversation.state.stats.byUsageId['condenser']).toMatchObject({ calls: 2, input_tokens: 200 });
    expect(conversation.state.view.events[2]).toMatchObject({ summary: 'Summary again.' });
  }
  expect(lost).toBe(1);
});

test('a failed check is recorded and counted, and the model is asked with the view as it is', async () => {
  const seen: number[] = [];
  const condenser = custom(async (view, { failures }) => {
    seen.push(failures);
    if (failures > 1) return view;
    throw new CondenserError('failed', 'The summary is empty.');
  });
  const { conversation, model } = await started([record('a'), record('b'), done], { condenser });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(seen).toEqual([0, 1, 2]);
  expect(model.requests).toHaveLength(3);
  const facts = await factsOf(conversation);
  expect(facts.map(({ problem }) => problem)).toEqual(['The summary is empty.', 'The summary is empty.']);
  expect(facts.some((fact) => 'tokens_after' in fact)).toBe(false);
});

test('a condenser that fails on demand of a full context does not end the run', async () => {
  const condenser = custom(async (view, { reason }) => {
    if (reason === 'check') return view;
    throw new CondenserError('failed', 'No summary.');
  });
  const steps = [record('a'), record('b'), { error: { code: 'context-overflow' } } as const, done];
  const { conversation } = await started(steps, { condenser });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect((await factsOf(conversation)).map(({ condenser: kind, reason }) => [kind, reason])).toEqual([
    ['test', 'demand'],
    ['hard-reset', 'demand'],
  ]);
});

test('a condenser that fails on demand of a person changes nothing', async () => {
  const condenser = custom(async (view, { reason }) => {
    if (reason === 'check') return view;
    throw new CondenserError('failed', 'No summary.');
  });
  const { conversation } = await started([record('a'), record('b'), done], { condenser });
  await conversation.run();
  const { view } = conversation.state;
  await expect(conversation.condense()).rejects.toMatchObject({ code: 'failed' });
  expect(conversation.state.view).toEqual(view);
  expect(await factsOf(conversation)).toEqual([expect.objectContaining({ problem: 'No summary.' })]);
});

test('a condensation on demand passes its focus to the condenser, and the log contains it', async () => {
  const window = rollingWindow({ maxEvents: 100 });
  const focuses: unknown[] = [];
  const condenser = custom(async (view, context) => {
    focuses.push(context.focus);
    return window.condense(view, context);
  });
  const { conversation } = await started([record('a'), record('b'), done], { condenser });
  await conversation.run();
  expect(await conversation.condense({ focus: ' the port number ' })).toBe(true);
  expect(focuses.at(-1)).toBe('the port number');
  expect(await factsOf(conversation)).toEqual([
    expect.objectContaining({ focus: 'the port number', reason: 'demand', forgotten: expect.anything() as unknown }),
  ]);
});

test('masks on demand end the demand', async () => {
  const reasons: string[] = [];
  const condenser = custom(async (view, { reason }) => {
    reasons.push(reason);
    const [first] = unmasked(view.events);
    if (reason === 'check') return view;
    return first
      ? { kind: 'mask', masks: [{ eventIds: [first.id], text: 'x' }] }
      : { kind: 'nothing', reason: 'None.' };
  });
  const steps = [record('a'), { error: { code: 'context-overflow' } } as const, done];
  const { conversation } = await started(steps, { condenser });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(reasons).toEqual(['check', 'check', 'demand', 'check']);
});

test('the limit of a request is the window of the model in use without the room for its reply', async () => {
  const limits: (number | undefined)[] = [];
  const condenser = custom(async (view, { maxInputTokens }) => {
    limits.push(maxInputTokens);
    return view;
  });
  const options = { condenser, contextWindow: 10_000, parameters: { maxOutputTokens: 3_000 } };
  const { conversation } = await started([record('a')], options);
  await conversation.step();
  conversation.switchModel(scriptedModel([record('b')], { capabilities: { contextWindow: 4_000 } }));
  await conversation.step();
  conversation.switchModel(scriptedModel([done]));
  await conversation.step();
  expect(limits).toEqual([7_000, 1_000, undefined]);
});

test('estimates follow the tokens that the last reply reports, also after a condensation and a restart', async () => {
  const counts: number[] = [];
  const condenser = custom(async (view, { tokens }) => {
    counts.push(tokens.request(view.events));
    return view;
  });
  const bare = await started([record('a')], { condenser });
  await bare.conversation.step();
  const estimate = counts[0] ?? 0;
  const reported = { input_tokens: estimate * 2, output_tokens: 1 };
  const { conversation, store } = await started([{ ...record('a'), usage: reported }, done], { condenser });
  await conversation.step();
  await conversation.step();
  const scaled = counts.at(-1) ?? 0;
  expect(scaled).toBeGreaterThan(estimate * 2);
  await conversation.condense();
  const [fact] = await factsOf(conversation);
  expect(fact?.scale).toBeCloseTo(2, 1);
  await conversation[Symbol.asyncDispose]();
  const { agent } = agentOf([done], { condenser: noCondensation() });
  const again = await Conversation.open({ agent: { ...agent, condenser }, store, id: conversation.id });
  await again.send('More.');
  await again.step();
  expect(counts.at(-1)).toBeGreaterThan(estimate * 1.5);
});
