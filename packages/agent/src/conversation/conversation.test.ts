import { expect, test } from 'vitest';
import type { BaseEvent } from '@varve/events';
import { ActionEvent, AgentErrorEvent, MessageEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { LlmError } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../agent/agent.ts';
import { Conversation } from './conversation.ts';
import { countingTool } from '../testing/counting-tool.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const record = (text: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text } }] });

async function started(steps: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const { tool, runs } = countingTool();
  const agent = defineAgent({ model, tools: () => [tool(), finish()], ...options });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  return { conversation, model, runs, agent, store };
}

async function eventsOf(conversation: Conversation): Promise<readonly BaseEvent[]> {
  const events: BaseEvent[] = [];
  for await (const { event } of conversation.events()) events.push(event);
  return events;
}

const kindsOf = async (conversation: Conversation) => (await eventsOf(conversation)).map(({ kind }) => kind);

test('a run executes calls until finish and returns the reason', async () => {
  const { conversation, model, runs } = await started([record('a'), record('b'), done]);
  await conversation.send('Record a and b.');
  const result = await conversation.run();
  expect(result).toMatchObject({ reason: 'finished', text: 'All done.', iterations: 3 });
  expect([...runs]).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
  expect(conversation.state.status).toBe('finished');
  model.assertDone();
});

test('the log contains a reply before its actions, and an effect before each write', async () => {
  const { conversation } = await started([record('a'), done]);
  await conversation.send('Go.');
  await conversation.run();
  const events = await eventsOf(conversation);
  const names = events.map((event) => ('key' in event ? String(event.key) : event.kind));
  expect(names).toEqual([
    'varve.settings',
    'SystemPromptEvent',
    'MessageEvent',
    'execution_status',
    'varve.run',
    'varve.toolset',
    'varve.call',
    'ActionEvent',
    'varve.effect',
    'ObservationEvent',
    'varve.call',
    'ActionEvent',
    'ObservationEvent',
    'execution_status',
    'varve.run',
  ]);
});

test('every event follows the one before it in the tree, in time and in the log', async () => {
  const { conversation } = await started([record('a'), done]);
  await conversation.send('Go.');
  await conversation.run();
  const events = await eventsOf(conversation);
  const stamps = events.map(({ timestamp }) => timestamp);
  expect(stamps).toEqual(stamps.toSorted());
  expect(new Set(stamps).size).toBe(stamps.length);
  const path = events.filter(({ kind }) => kind !== 'ConversationStateUpdateEvent');
  expect(path.slice(1).map(({ parent_id }) => parent_id)).toEqual(path.slice(0, -1).map(({ id }) => id));
});

test('a reply of text alone ends the run with that text', async () => {
  const { conversation } = await started([{ text: 'It is blue.' }]);
  await conversation.send('Which colour is the sky?');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'It is blue.' });
});

test('errors of unknown tools and wrong arguments contain names, never values', async () => {
  const { conversation, runs } = await started([
    { calls: [{ name: 'teleport', arguments: {} }] },
    { calls: [{ name: 'record', arguments: { text: 5, secret: 'hunter2' } }] },
    done,
  ]);
  await conversation.send('Go.');
  await conversation.run();
  const errors = (await eventsOf(conversation)).filter((event) => AgentErrorEvent.is(event)).map(({ error }) => error);
  expect(errors[0]).toBe('There is no tool teleport. The tools are: record, finish.');
  expect(errors[1]).toContain('text');
  expect(errors[1]).not.toContain('hunter2');
  expect(runs.size).toBe(0);
});

test('arguments that are not JSON are kept byte for byte and answered', async () => {
  const { conversation } = await started([{ calls: [{ name: 'record', arguments: '{"text": "a' }] }, done]);
  await conversation.send('Go.');
  await conversation.run();
  const action = (await eventsOf(conversation)).find(({ kind }) => kind === 'ActionEvent');
  expect(action).toMatchObject({ tool_call: { arguments: '{"text": "a' } });
  expect(checkMessages(conversation.request().messages)).toEqual([]);
});

test('raw line feeds inside a string of the arguments are accepted', async () => {
  const { conversation, runs } = await started([
    { calls: [{ name: 'record', arguments: '{\n"text": "a\nb"\n}' }] },
    done,
  ]);
  await conversation.send('Go.');
  await conversation.run();
  expect([...runs.keys()]).toEqual(['a\nb']);
});

test('calls after finish are answered immediately and never run', async () => {
  const both = [...(done.calls ?? []), { name: 'record', arguments: { text: 'late' } }];
  const { conversation, runs } = await started([{ calls: both }]);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(runs.size).toBe(0);
  expect(conversation.state.pending).toEqual([]);
});

test('the last call of a reply that was cut off is not executed, even if its arguments parse', async () => {
  const { conversation, runs } = await started([{ ...record('half'), finish: 'length' }, record('whole'), done]);
  await conversation.send('Go.');
  await conversation.run();
  expect([...runs.keys()]).toEqual(['whole']);
});

test('three empty replies in a row end the run as stuck', async () => {
  const empty: ScriptedTurn = { text: '', reasoning: 'Hm.' };
  const { conversation } = await started([empty, empty, empty]);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', iterations: 3 });
  expect(conversation.state.status).toBe('stuck');
});

test('a run ends at its limit and a later run continues', async () => {
  const { conversation } = await started([record('a'), record('b'), record('c'), done]);
  await conversation.send('Go.');
  expect(await conversation.run({ maxIterations: 2 })).toMatchObject({ reason: 'max-iterations', iterations: 2 });
  expect(conversation.state).toMatchObject({ status: 'error', error: { code: 'MaxIterationsReached' } });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('a run ends when the cost of the conversation reaches its budget', async () => {
  const dear = { ...record('a'), costUsd: 0.6 };
  const { conversation } = await started([dear, { ...dear, ...record('b') }, done], { budget: { maxCostUsd: 1 } });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'max-cost', usage: { cost_usd: 1.2 } });
});

test('a failure of the model ends the run with its error, and nothing is lost', async () => {
  const { conversation } = await started([
    record('a'),
    { error: { code: 'unauthenticated', message: 'Wrong key.' } },
    done,
  ]);
  await conversation.send('Go.');
  const result = await conversation.run();
  expect(result).toMatchObject({ reason: 'error', error: expect.any(LlmError) });
  expect(conversation.state).toMatchObject({
    status: 'error',
    error: { code: 'unauthenticated', detail: 'Wrong key.' },
  });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('a tool that throws is reported to the model and the run continues', async () => {
  const { conversation, model } = await started([record('a'), done], {});
  const broken = { ...countingTool().tool(), execute: async () => Promise.reject(new Error('disk on fire')) };
  const agent = defineAgent({ model, tools: () => [broken, finish()] });
  await using other = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await other.send('Go.');
  expect(await other.run()).toMatchObject({ reason: 'finished' });
  const error = (await eventsOf(other)).find((event) => AgentErrorEvent.is(event));
  expect(error).toMatchObject({ error: 'record failed: disk on fire', classification: { kind: 'internal' } });
  await conversation[Symbol.asyncDispose]();
});

test('a context that is too long is condensed, and the run continues', async () => {
  const overflow: ScriptedTurn = { error: { code: 'context-overflow', message: 'Too long.' } };
  const { conversation } = await started([record('a'), record('b'), record('c'), overflow, done]);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  const kinds = await kindsOf(conversation);
  expect(kinds).toContain('CondensationRequest');
  expect(kinds).toContain('Condensation');
  const [system, user] = conversation.request().messages;
  expect([system?.role, user?.role]).toEqual(['system', 'user']);
});

test('a context that cannot be made to fit ends the run with a typed reason', async () => {
  const overflow: ScriptedTurn = { error: { code: 'context-overflow', message: 'Too long.' } };
  const { conversation } = await started([overflow, overflow]);
  await conversation.send('Go.');
  const result = await conversation.run();
  expect(result).toMatchObject({ reason: 'error', error: { code: 'context-overflow' } });
});

test('a context that never fits ends the run, however much there is to leave out', async () => {
  const overflow: ScriptedTurn = { error: { code: 'context-overflow', message: 'Too long.' } };
  const steps = [record('a'), record('b'), record('c'), ...Array.from({ length: 30 }, () => overflow)];
  const { conversation } = await started(steps);
  await conversation.send('Go.');
  const result = await conversation.run({ maxIterations: 30 });
  expect(result).toMatchObject({ reason: 'error', error: { code: 'context-overflow' } });
});

test('a history that the server cannot read is condensed, and the run continues', async () => {
  const unread: ScriptedTurn = { error: { code: 'malformed-history', message: 'A call has no result.' } };
  const { conversation } = await started([record('a'), record('b'), record('c'), unread, done]);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(await kindsOf(conversation)).toContain('Condensation');
});

test("a history that the server never accepts ends the run with the server's error", async () => {
  const unread: ScriptedTurn = { error: { code: 'malformed-history', message: 'Roles must alternate.' } };
  const { conversation } = await started([record('a'), record('b'), record('c'), unread, unread]);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({
    reason: 'error',
    error: { code: 'malformed-history', message: 'Roles must alternate.' },
  });
  expect((await kindsOf(conversation)).filter((kind) => kind === 'CondensationRequest')).toHaveLength(1);
});

test('an abort during the model call interrupts the run', async () => {
  const stop = new AbortController();
  const { conversation } = await started([{ fault: { kind: 'hang', afterPieces: 0 } }]);
  await conversation.send('Go.');
  const running = conversation.run({ signal: stop.signal });
  stop.abort();
  expect(await running).toMatchObject({ reason: 'interrupted' });
  expect(conversation.state.status).toBe('paused');
});

test('an abort during a tool answers its call and those after it', async () => {
  const stop = new AbortController();
  const hanging = {
    ...countingTool().tool(),
    execute: (_input: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        stop.abort();
      }),
  };
  const calls = ['a', 'b'].map((text) => ({ name: 'record', arguments: { text } }));
  const { conversation } = await started([{ calls }, done], { tools: () => [hanging, finish()] });
  await conversation.send('Go.');
  expect(await conversation.run({ signal: stop.signal })).toMatchObject({ reason: 'interrupted' });
  expect(conversation.state.pending).toEqual([]);
  const errors = (await eventsOf(conversation)).filter((event) => AgentErrorEvent.is(event));
  expect(errors.map(({ error }) => error)).toEqual([
    'This call was interrupted before it had a result.',
    'This call was interrupted before it started.',
  ]);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('pause ends a run before its next step', async () => {
  const pausing = countingTool().tool();
  let conversation: Conversation | undefined;
  const tool = () => ({
    ...pausing,
    execute: (input: never, context: never) => {
      conversation?.pause();
      return pausing.execute(input, context);
    },
  });
  ({ conversation } = await started([record('a'), done], { tools: () => [tool(), finish()] }));
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'paused', iterations: 1 });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('a message that is sent during the last step is answered by the same run', async () => {
  let conversation: Conversation | undefined;
  const late = finish();
  const tool = {
    ...late,
    execute: async (input: never, context: never) => {
      if (conversation?.state.stats.total.calls === 1) await conversation.send('One more thing.');
      return late.execute(input, context);
    },
  };
  const second: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Both done.' } }] };
  ({ conversation } = await started([done, second], { tools: () => [tool] }));
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'Both done.' });
});

test('a message that was stored just before the end is answered after a restart', async () => {
  const { conversation, agent, store } = await started([done, { text: 'And that too.' }]);
  await conversation.send('Go.');
  await conversation.run();
  await conversation.send('One more thing.');
  await conversation[Symbol.asyncDispose]();
  const log = await store.open(conversation.id);
  const text =
    '{"id":"00000009","timestamp":"2100-01-01T12:00:00.000000","source":"environment","key":"execution_status","value":"finished","kind":"ConversationStateUpdateEvent"}';
  await log.append([{ id: '00000009', kind: 'ConversationStateUpdateEvent', parentId: undefined, text }]);
  await log[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent, store, id: conversation.id });
  expect(again.state.status).toBe('finished');
  expect(await again.run()).toMatchObject({ reason: 'finished', text: 'And that too.' });
});

test('one run at a time, and nothing to run without a message', async () => {
  const { conversation } = await started([{ fault: { kind: 'hang', afterPieces: 0 } }]);
  await expect(conversation.run()).rejects.toMatchObject({ code: 'nothing-to-do' });
  await conversation.send('Go.');
  const running = conversation.run();
  await expect(conversation.run()).rejects.toMatchObject({ code: 'busy' });
  await conversation.interrupt();
  expect(await running).toMatchObject({ reason: 'interrupted' });
});

test('running a finished conversation again changes nothing', async () => {
  const { conversation } = await started([done]);
  await conversation.send('Go.');
  await conversation.run();
  const { head } = conversation.state;
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'All done.', iterations: 0 });
  expect(conversation.state.head).toBe(head);
});

test('a listing shows title and status without opening the log', async () => {
  const { conversation, store } = await started([done]);
  await conversation.send('Make it blue.\nAnd round.');
  await conversation.run();
  expect(await store.summary(conversation.id)).toMatchObject({ meta: { title: 'Make it blue.', status: 'finished' } });
});

test('stateAt returns the state of every prefix, and the requests of every prefix are valid', async () => {
  const { conversation } = await started([record('a'), { calls: [{ name: 'nope', arguments: {} }] }, done]);
  await conversation.send('Go.');
  await conversation.run();
  const { head } = conversation.state;
  for (let prefix = 0; prefix <= head; prefix++) expect((await conversation.stateAt(prefix)).head).toBe(prefix);
  expect(await conversation.stateAt(head)).toEqual(conversation.state);
});

test('a secret as the name of an unknown tool is never stored', async () => {
  const { agent, store } = await started([{ calls: [{ name: 'sk-hush-123', arguments: {} }] }, record('a'), done]);
  const options = { agent, store, workspace: process.cwd(), secrets: ['sk-hush-123', 'record'] };
  await using conversation = await Conversation.create(options);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  for await (const { text } of (await store.read(conversation.id)).range(0)) expect(text).not.toContain('sk-hush-123');
  const events = await eventsOf(conversation);
  // The name of an offered tool is not masked, whatever the secrets are.
  expect(events.flatMap((event) => (ActionEvent.is(event) ? [event.tool_name] : []))).toEqual([
    '<secret-hidden>',
    'record',
    'finish',
  ]);
  expect(checkMessages(conversation.request().messages)).toEqual([]);
});

test('secrets are masked in the log, whatever their source', async () => {
  const { agent, store } = await started([record('the key is sk-hush-123'), done]);
  await using conversation = await Conversation.create({
    agent,
    store,
    workspace: process.cwd(),
    secrets: ['sk-hush-123'],
  });
  await conversation.send('Use sk-hush-123 please.');
  await conversation.run();
  for await (const { text } of conversation.events()) expect(text).not.toContain('sk-hush-123');
  const events = await eventsOf(conversation);
  expect(JSON.stringify(events.find((event) => MessageEvent.is(event)))).toContain('<secret-hidden>');
  expect(await store.summary(conversation.id)).toMatchObject({ meta: { title: 'Use <secret-hidden> please.' } });
});

test('two tools of one name and a workspace that is not a directory are refused', async () => {
  const { agent, store } = await started([]);
  const twice = { ...agent, tools: () => [countingTool().tool(), countingTool().tool()] };
  await expect(Conversation.create({ agent: twice, store, workspace: process.cwd() })).rejects.toThrow('record');
  await expect(Conversation.create({ agent, store, workspace: '/no/such/place' })).rejects.toMatchObject({
    code: 'invalid',
  });
});
