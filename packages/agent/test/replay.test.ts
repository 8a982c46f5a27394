import { expect, test } from 'vitest';
import { rollingWindow } from '@varve/condensers';
import type { Stamp } from '@varve/events';
import { defineFact } from '@varve/events/facts';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore, type LogReader } from '@varve/storage';
import { defineTool, finish, type Tool } from '@varve/tools';
import * as z from 'zod';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { recordedModel } from '../src/replay/recorded-model.ts';
import { replayConversation } from '../src/replay/replay-conversation.ts';
import { verifyRequests } from '../src/replay/verify-requests.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const look = (what: string): ScriptedTurn => ({ text: 'Hm.', calls: [{ name: 'look', arguments: { what } }] });

/** A tool whose output is `seen(what)`. */
function looking(seen: (what: string) => string): Tool {
  return defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ what: z.string().describe('At what.') }),
    effect: 'read',
    execute: async ({ what }) => seen(what),
  });
}

async function recorded(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [looking((what) => `${what} is fine`), finish()], ...options });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  return { conversation, agent, store, model };
}

/** Returns a log with changed texts; records in `reads` from where it is read. */
function changedLog(log: LogReader, change: (text: string) => string, reads: number[] = []): LogReader {
  return {
    id: log.id,
    head: () => log.head(),
    at: (seq) => log.at(seq),
    seqOf: (id) => log.seqOf(id),
    tail: (from, signal) => log.tail(from, signal),
    async *range(from, to) {
      reads.push(from);
      for await (const stored of log.range(from, to)) yield { ...stored, text: change(stored.text) };
    },
  };
}

const note = defineFact('varve.test.note', () => z.strictObject({ of: z.number() }));

const checksOf = async (store: EventStore, id: string) => Array.fromAsync(verifyRequests(await store.read(id)));

test('every request is rebuilt from the log, through condensation, branches and unusable replies', async () => {
  const turns = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((what) => look(what));
  const { conversation, store, model } = await recorded(
    [...turns, { reasoning: 'Hm.' }, done, { text: 'Another way.' }],
    { condenser: rollingWindow({ maxEvents: 10 }) },
  );
  await conversation.send('Go.');
  await conversation.run();
  await conversation.navigate(conversation.state.view.events[1]?.id);
  await conversation.send('Otherwise.');
  await conversation.run();
  const checks = await checksOf(store, conversation.id);
  expect(checks).toHaveLength(model.requests.length);
  for (const check of checks) expect(check).toMatchObject({ messages: 'same', tools: 'same' });
});

test('a message sent during the model call was not in the request', async () => {
  const late: { send?: () => Promise<unknown> } = {};
  const first: ScriptedStep = async () => {
    await late.send?.();
    return look('a');
  };
  const { conversation, store } = await recorded([first, done]);
  late.send = async () => {
    await conversation.send('One more thing.');
    await conversation.send('And another.');
  };
  await conversation.send('Go.');
  await conversation.run();
  expect((await checksOf(store, conversation.id)).map(({ messages }) => messages)).toEqual(['same', 'same']);
});

test('a message sent during the model call was not in the request, however many facts were stored too', async () => {
  const late: { duringCall?: () => Promise<unknown> } = {};
  const first: ScriptedStep = async () => {
    await late.duringCall?.();
    return done;
  };
  const { conversation, store } = await recorded([first, done]);
  late.duringCall = async () => {
    await conversation.send('One more thing.');
    const facts = Array.from({ length: 40 }, (_, of) => (stamp: Stamp) => note.create({ of }, stamp));
    await conversation.record(...facts);
  };
  await conversation.send('Go.');
  await conversation.run();
  expect((await checksOf(store, conversation.id)).map(({ messages }) => messages)).toEqual(['same', 'same']);
});

test.for<[string, (text: string) => string, object]>([
  ['a changed result', (text) => text.replace('a is fine', 'a is broken'), { messages: 'differs', tools: 'same' }],
  ['a changed tool', (text) => text.replace('"Looks."', '"Looks away."'), { messages: 'same', tools: 'differs' }],
  [
    'another version of a projection, which produces other messages',
    (text) => text.replace('a is fine', 'a is broken').replace(/"messages":\d+\}/, '"messages":0}'),
    { messages: 'older-projection' },
  ],
])('%s is reported', async ([, change, reported]) => {
  const { conversation, store } = await recorded([look('a'), done]);
  await conversation.send('Go.');
  await conversation.run();
  const changed = changedLog(await store.read(conversation.id), change);
  const checks = await Array.fromAsync(verifyRequests(changed));
  expect(checks.at(-1)).toMatchObject(reported);
});

test('the parameters of a request are in the log once, and a change of them is reported', async () => {
  const parameters = { temperature: 0.25, stop: ['END'] };
  const { conversation, store } = await recorded([look('a'), done], { parameters });
  await conversation.send('Go.');
  await conversation.run();
  const texts = await Array.fromAsync((await store.read(conversation.id)).range(0), ({ text }) => text);
  const kept = texts.filter((text) => text.includes('"key":"varve.parameters"'));
  expect(kept.map((text) => JSON.parse(text).value.parameters)).toEqual([{ temperature: 0.25, stop: ['END'] }]);
  expect(await checksOf(store, conversation.id)).toMatchObject([{ parameters: 'same' }, { parameters: 'same' }]);
  const other = async (change: (text: string) => string) =>
    Array.fromAsync(verifyRequests(changedLog(await store.read(conversation.id), change)), (check) => check.parameters);
  expect(await other((text) => text.replace('0.25', '0.75'))).toEqual(['differs', 'differs']);
  expect(await other((text) => text.replace('varve.parameters', 'varve.acme.parameters'))).toEqual([
    'missing',
    'missing',
  ]);
});

test.for([
  ['Looks', /Looks/],
  ['STOP', /STOP/],
  ['what', /At what/],
  // The name of an offered tool is not masked.
  ['look', /"name":"<secret/],
] as const)(
  'a secret %j in tools or parameters stays out of the log, and the request can still be verified',
  async ([secret, gone]) => {
    const model = scriptedModel([look('a'), done]);
    const parameters = { stop: ['STOP'] };
    const agent = defineAgent({ model, tools: () => [looking((what) => `${what} is fine`), finish()], parameters });
    const options = { agent, store: memoryStore(), secrets: [secret] };
    await using conversation = await Conversation.create({ ...options, workspace: process.cwd() });
    await conversation.send('Go.');
    await conversation.run();
    const same = { messages: 'same', tools: 'same', parameters: 'same' };
    expect(await checksOf(options.store, conversation.id)).toMatchObject([same, same]);
    const [request] = model.requests;
    expect([request?.tools[0]?.description, request?.parameters]).toEqual(['Looks.', parameters]);
    await conversation[Symbol.asyncDispose]();
    // The masked tools of the log match the tools of the agent that opens it.
    await using again = await Conversation.open({ ...options, id: conversation.id });
    expect(again.state.status).toBe('finished');
    const texts = await Array.fromAsync((await options.store.read(again.id)).range(0), ({ text }) => text);
    const facts = texts.filter((text) => /"varve\.(?:toolset|parameters)"/.test(text));
    expect(facts).toHaveLength(2);
    for (const fact of facts) expect(fact).not.toMatch(gone);
  },
);

test('a request without parameters stores no parameters', async () => {
  const { conversation, store } = await recorded([done]);
  await conversation.send('Go.');
  await conversation.run();
  for await (const { text } of (await store.read(conversation.id)).range(0)) expect(text).not.toContain('varve.param');
  expect(await checksOf(store, conversation.id)).toMatchObject([{ parameters: 'same' }]);
});

test('a log whose requests differ is read once', async () => {
  const turns = ['a', 'b', 'c', 'd', 'e'].map((what) => look(what));
  const { conversation, store } = await recorded([...turns, done]);
  await conversation.send('Go.');
  await conversation.run();
  const reads: number[] = [];
  const log = changedLog(await store.read(conversation.id), (text) => text.replace('a is fine', 'a is broken'), reads);
  const checks = await Array.fromAsync(verifyRequests(log));
  expect(checks.map(({ messages }) => messages)).toEqual(['same', ...Array(5).fill('differs')]);
  expect(reads).toEqual([0]);
});

test('replies to requests outside the view are skipped', async () => {
  const { conversation, store } = await recorded([look('a'), done]);
  await conversation.send('Go.');
  await conversation.run();
  const copy = memoryStore();
  const log = await copy.create(conversation.id, {});
  for await (const stored of (await store.read(conversation.id)).range(0)) {
    await log.append([{ ...stored, text: stored.text.replace('"usage_id":"agent"', '"usage_id":"condenser"') }]);
  }
  expect(await checksOf(copy, conversation.id)).toEqual([]);
  expect((await recordedModel(await copy.read(conversation.id))).length).toBe(0);
});

test('a log without a toolset is reported', async () => {
  const { conversation, store } = await recorded([done]);
  await conversation.send('Go.');
  await conversation.run();
  const copy = memoryStore();
  const log = await copy.create(conversation.id, {});
  for await (const stored of (await store.read(conversation.id)).range(0)) {
    if (!stored.text.includes('varve.toolset')) await log.append([stored]);
  }
  expect(await checksOf(copy, conversation.id)).toMatchObject([{ messages: 'same', tools: 'missing' }]);
});

test('recorded replies with the same tools lead to the same conversation, including every request', async () => {
  const { conversation, agent, store } = await recorded([look('a'), look('b'), done, { text: 'You are welcome.' }]);
  for (const message of ['Go.', 'Thanks.']) {
    await conversation.send(message);
    await conversation.run();
  }
  const log = await store.read(conversation.id);
  const options = { agent, store, workspace: process.cwd(), replies: 'recorded', results: 'live' } as const;
  const replayed = await replayConversation(log, options);
  expect(replayed).toMatchObject({ reasons: ['finished', 'finished'], differences: [] });
  const [asked, again] = await Promise.all([conversation.id, replayed.conversationId].map((id) => checksOf(store, id)));
  expect(again).toEqual(asked);
});

const withoutB = () => [looking((what) => (what === 'b' ? 'b is gone' : `${what} is fine`)), finish()];

test('tools with other results are reported, by event and by request', async () => {
  const { conversation, agent, store } = await recorded([look('a'), look('b'), done]);
  await conversation.send('Go.');
  await conversation.run();
  const log = await store.read(conversation.id);
  const changed = { ...agent, tools: withoutB };
  const { differences } = await replayConversation(log, {
    agent: changed,
    store,
    workspace: process.cwd(),
    replies: 'recorded',
    results: 'live',
  });
  expect(differences).toHaveLength(1);
  expect(differences[0]).toMatchObject({ left: { kind: 'ObservationEvent' }, right: { kind: 'ObservationEvent' } });
  expect(JSON.stringify(differences[0]?.right)).toContain('b is gone');

  const model = await recordedModel(log);
  await using again = await Conversation.create({ agent: { ...changed, model }, store, workspace: process.cwd() });
  await again.send('Go.');
  await again.run();
  expect([model.length, model.diverged]).toEqual([3, [2]]);
});

test('recorded replies with recorded results execute nothing, and each call gets its recorded result', async () => {
  let looks = 0;
  const counting = () => [
    looking((what) => {
      looks += 1;
      if (what === 'c') throw new Error('It broke.');
      return `${what} for the ${looks}. time`;
    }),
    finish(),
  ];
  const steps = [look('a'), { calls: [...(look('b').calls ?? []), ...(look('a').calls ?? [])] }, look('c'), done];
  const { conversation, agent, store } = await recorded(steps, { tools: counting });
  await conversation.send('Go.');
  await conversation.run();
  const log = await store.read(conversation.id);
  const pure = { agent, store, workspace: process.cwd(), replies: 'recorded', results: 'recorded' } as const;
  expect(await replayConversation(log, pure)).toMatchObject({ reasons: ['finished'], differences: [] });
  expect(looks).toBe(4);

  const asking = { ...agent, model: scriptedModel([look('a'), look('d'), done]) };
  const { differences } = await replayConversation(log, { ...pure, agent: asking, replies: 'live' });
  expect(JSON.stringify(differences)).toContain('look failed: No result of this call was recorded.');
  expect(looks).toBe(4);
});

test('live replies may differ, and the difference is reported', async () => {
  const { conversation, agent, store } = await recorded([look('a'), done]);
  await conversation.send('Go.');
  await conversation.run();
  const live = { ...agent, model: scriptedModel([look('a'), look('b'), done]) };
  const { differences, reasons } = await replayConversation(await store.read(conversation.id), {
    agent: live,
    store,
    workspace: process.cwd(),
    replies: 'live',
    results: 'live',
  });
  expect(reasons).toEqual(['finished']);
  expect(differences.map(({ left, right }) => [left?.kind, right?.kind])).toEqual([
    [undefined, 'ActionEvent'],
    [undefined, 'ObservationEvent'],
  ]);
});

test('a replay that needs more replies than were recorded ends as an error', async () => {
  const { conversation, agent, store } = await recorded([look('a')], { confirmation: alwaysConfirm() });
  await conversation.send('Go.');
  await conversation.run();
  const free = defineAgent({ model: agent.model, tools: agent.tools });
  const { reasons } = await replayConversation(await store.read(conversation.id), {
    agent: free,
    store,
    workspace: process.cwd(),
    replies: 'recorded',
    results: 'live',
  });
  expect(reasons).toEqual(['error']);
});

test('a replay continues with the model of the agent after the last recorded reply', async () => {
  const { conversation, agent, store } = await recorded([look('a'), look('b')]);
  await conversation.send('Go.');
  await conversation.run({ maxIterations: 2 });
  const model = scriptedModel([look('c'), done]);
  const { conversationId, reasons } = await replayConversation(await store.read(conversation.id), {
    agent: { ...agent, model },
    store,
    workspace: process.cwd(),
    replies: 'recorded-then-live',
    results: 'live',
  });
  expect([reasons, model.requests.length]).toEqual([['finished'], 2]);
  const checks = await checksOf(store, conversationId);
  expect(checks).toHaveLength(4);
  const messages = JSON.stringify(model.requests[0]?.messages);
  expect(messages).toMatch(/a is fine.*b is fine/);
});

test('a log without facts about its calls is replayed from its events', async () => {
  const { conversation, agent, store } = await recorded([look('a'), done]);
  await conversation.send('Go.');
  await conversation.run();
  const log = changedLog(await store.read(conversation.id), (text) => text.replace('varve.call', 'foreign.call'));
  expect((await recordedModel(log)).length).toBe(2);
  const { reasons } = await replayConversation(log, {
    agent: { ...agent, model: scriptedModel([]) },
    store,
    workspace: process.cwd(),
    replies: 'recorded-then-live',
    results: 'live',
  });
  expect(reasons).toEqual(['finished']);
});
