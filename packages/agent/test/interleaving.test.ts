import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isOpaque } from '@varve/events';
import { AgentErrorEvent, ObservationEvent, SystemPromptEvent, UserRejectObservation } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';
import { finish, type Tool } from '@varve/tools';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const record = (...texts: string[]): ScriptedTurn => ({
  calls: texts.map((text) => ({ name: 'record', arguments: { text } })),
});

interface Started extends Partial<AgentOptions> {
  readonly store?: EventStore;
  /** Called before each execution of `record`. */
  readonly before?: (input: unknown) => unknown;
}

async function started(steps: readonly ScriptedStep[], { store = memoryStore(), before, ...options }: Started = {}) {
  const model = scriptedModel(steps);
  const { tool, runs } = countingTool();
  const watched = (): Tool => {
    const inner = tool();
    const execute: Tool['execute'] = async (input, context) => {
      await before?.(input);
      return inner.execute(input, context);
    };
    return { ...inner, execute };
  };
  const agent = defineAgent({ model, tools: () => [watched(), finish()], ...options });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  return { conversation, model, runs, agent, store };
}

const eventsOf = (conversation: Conversation) => Array.fromAsync(conversation.events(), ({ event }) => event);

test.for([done, { text: 'All done.' } satisfies ScriptedTurn])(
  'a message that arrives while the model writes its last reply is answered by the same run: %j',
  async (last) => {
    const late: { send?: () => Promise<unknown> } = {};
    const first: ScriptedStep = async () => {
      await late.send?.();
      return last;
    };
    const { conversation, model } = await started([first, { text: 'That too.' }]);
    late.send = () => conversation.send('One more thing.');
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'That too.' });
    expect(model.requests[1]?.messages.at(-1)?.role).not.toBe('assistant');
    expect(checkMessages(conversation.request().messages)).toEqual([]);
  },
);

test.for([[['a']], [['a', 'b']]])(
  'a run that is aborted between a reply and its calls %j starts none of them',
  async ([texts = []]) => {
    const stop = new AbortController();
    const inner = memoryStore();
    const store = spied(inner, (kinds) => void (kinds.includes('ActionEvent') && stop.abort()));
    const { conversation, runs } = await started([record(...texts), done], { store });
    await conversation.send('Go.');
    expect(await conversation.run({ signal: stop.signal })).toMatchObject({ reason: 'interrupted' });
    expect([...runs]).toEqual([]);
    expect(conversation.state.pending).toEqual([]);
    const answers = (await eventsOf(conversation)).filter((event) => AgentErrorEvent.is(event));
    expect(answers.map(({ error }) => error)).toEqual(texts.map(() => 'This call was interrupted before it started.'));
  },
);

test('a call that is rejected while the call before it runs does not start', async () => {
  const late: { reject?: () => Promise<unknown> } = {};
  const { conversation, runs } = await started([record('a', 'b'), done], {
    before: async () => late.reject?.(),
  });
  late.reject = () => conversation.reject('No.');
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs]).toEqual([['a', 1]]);
  const results = (await eventsOf(conversation)).filter(
    (event) => ObservationEvent.is(event) || UserRejectObservation.is(event) || AgentErrorEvent.is(event),
  );
  expect(results.map(({ kind }) => kind)).toEqual(['UserRejectObservation', 'ObservationEvent', 'ObservationEvent']);
});

test('a call that is rejected at the moment the run is aborted has one result', async () => {
  const stop = new AbortController();
  const late: { reject?: () => Promise<void>; rejected?: Promise<void> | undefined } = {};
  const store = spied(memoryStore(), async (kinds) => {
    // The rejection is still being stored when the run looks for open calls.
    if (kinds.includes('UserRejectObservation')) await setImmediate();
    if (!kinds.includes('ObservationEvent')) return;
    late.rejected = late.reject?.();
    stop.abort();
  });
  const { conversation } = await started([record('a', 'b')], { store });
  late.reject = () => conversation.reject('No.');
  await conversation.send('Go.');
  expect(await conversation.run({ signal: stop.signal })).toMatchObject({ reason: 'interrupted' });
  await late.rejected;
  const answers = (await eventsOf(conversation)).filter(
    (event) => UserRejectObservation.is(event) || AgentErrorEvent.is(event),
  );
  expect(answers.map(({ kind }) => kind)).toEqual(['UserRejectObservation']);
});

test('a message sent together with the run of approved calls never rejects a running call', async () => {
  const { conversation, runs } = await started([record('a'), done, done], { confirmation: alwaysConfirm() });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.approve();
  const running = conversation.run();
  await conversation.send('Wait!');
  await running;
  const refused = (await eventsOf(conversation)).filter((event) => UserRejectObservation.is(event));
  expect(refused.length + (runs.get('a') ?? 0)).toBe(1);
});

test('messages sent concurrently add one system prompt', async () => {
  const { conversation } = await started([done]);
  await Promise.all([conversation.send('One.'), conversation.send('Two.')]);
  const prompts = (await eventsOf(conversation)).filter((event) => SystemPromptEvent.is(event));
  expect(prompts).toHaveLength(1);
});

test('waiting calls are rejected once, also by two concurrent messages', async () => {
  const { conversation } = await started([record('a'), done], { confirmation: alwaysConfirm() });
  await conversation.send('Go.');
  await conversation.run();
  await Promise.all([conversation.send('No.'), conversation.send('Not at all.')]);
  const refused = (await eventsOf(conversation)).filter((event) => UserRejectObservation.is(event));
  expect(refused).toHaveLength(1);
});

test('a reply that was stored although its append failed is executed, not requested again', async () => {
  let isLost = true;
  const store = spied(memoryStore(), (kinds) => {
    if (!isLost || !kinds.includes('ActionEvent')) return;
    isLost = false;
    throw new Error('the answer was lost');
  });
  const { conversation, model, runs } = await started([record('a', 'b'), done], { store });
  await conversation.send('Go.');
  await expect(conversation.run()).rejects.toThrow('lost');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(model.requests.map(({ messages }) => messages.at(-1)?.role)).toEqual(['user', 'tool']);
  expect([...runs]).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
});

test('navigating and forking include events that were stored although their append failed', async () => {
  let lost = 0;
  const store = spied(memoryStore(), () => {
    if (lost-- > 0) throw new Error('the answer was lost');
  });
  const { conversation } = await started([], { store });
  const first = await conversation.send('Go.');
  lost = 1;
  await expect(conversation.send('And on.')).rejects.toThrow('lost');
  await using fork = await conversation.fork();
  expect(fork.state.view.events.filter(({ source }) => source === 'user')).toHaveLength(2);
  lost = 1;
  await expect(conversation.send('And on.')).rejects.toThrow('lost');
  await conversation.navigate(first);
  expect(conversation.state.leafId).toBe(first);
});

test('an interrupt right after run() ends the run', async () => {
  const { conversation } = await started([{ fault: { kind: 'hang', afterPieces: 0 } }]);
  await conversation.send('Go.');
  const running = conversation.run();
  await conversation.interrupt();
  expect(await running).toMatchObject({ reason: 'interrupted' });
});

test('a pause right after run() ends the run before the model is called', async () => {
  const { conversation, model } = await started([done]);
  await conversation.send('Go.');
  const running = conversation.run();
  conversation.pause();
  expect(await running).toMatchObject({ reason: 'paused' });
  expect(model.requests).toEqual([]);
});

test('disposing ends a running run, and a second dispose waits for it too', async () => {
  const { conversation, store, agent } = await started([{ fault: { kind: 'hang', afterPieces: 0 } }]);
  await conversation.send('Go.');
  const running = conversation.run();
  void conversation[Symbol.asyncDispose]();
  await conversation[Symbol.asyncDispose]();
  expect(await running).toMatchObject({ reason: 'interrupted' });
  await using again = await Conversation.open({ agent, store, id: conversation.id });
  expect(again.state.status).toBe('paused');
});

test('tailing ends when the conversation is disposed', async () => {
  const { conversation } = await started([]);
  await conversation.send('Go.');
  const tailed = Array.fromAsync(conversation.events({ signal: new AbortController().signal }), ({ event }) => event);
  await conversation[Symbol.asyncDispose]();
  expect((await tailed).some((event) => isOpaque(event))).toBe(false);
});

test('a tool that cannot be closed does not keep the lease', async () => {
  const broken = { ...finish(), close: () => Promise.reject(new Error('stuck')) };
  const { conversation, store, agent } = await started([], { tools: () => [broken] });
  await expect(conversation[Symbol.asyncDispose]()).rejects.toThrow('stuck');
  const whole = { ...agent, tools: () => [finish()] };
  await using again = await Conversation.open({ agent: whole, store, id: conversation.id });
  expect(again.id).toBe(conversation.id);
});

test('the tools of a conversation that cannot be opened are closed', async () => {
  let open = 0;
  const counted = (): Tool => {
    open += 1;
    return { ...finish(), close: async () => void (open -= 1) };
  };
  const { conversation, store, agent } = await started([], { tools: () => [counted()] });
  expect(open).toBe(1);
  await expect(Conversation.open({ agent, store, id: conversation.id })).rejects.toMatchObject({ code: 'held' });
  const again = { agent, store, id: conversation.id, workspace: process.cwd() };
  await expect(Conversation.create(again)).rejects.toMatchObject({ code: 'exists' });
  expect(open).toBe(1);
});

test('after a failed open a conversation can be created with the same tools', async () => {
  const { tool, runs } = countingTool();
  const only = tool();
  const agent = defineAgent({ model: scriptedModel([record('a'), done]), tools: () => [only, finish()] });
  const options = { agent, store: memoryStore(), id: '7'.repeat(32), workspace: process.cwd() };
  await using conversation = await Conversation.open(options).catch(() => Conversation.create(options));
  await conversation.send('Go.');
  await conversation.run();
  expect([...runs]).toEqual([['a', 1]]);
});

/** Wraps a store so that each append reports its kinds after it was stored; the append throws what `after` throws. */
function spied(store: EventStore, after: (kinds: readonly string[]) => void | Promise<void>): EventStore {
  return wrapStore(store, {
    log: (log) => ({
      append: async (events, options) => {
        const seqs = await log.append(events, options);
        await after(events.map(({ kind }) => kind));
        return seqs;
      },
    }),
  });
}

test('an idempotent call does not start when it was rejected while its reply was being stored', async () => {
  const late: { reject?: () => Promise<void>; rejected?: Promise<void> | undefined } = {};
  const { tool, runs } = countingTool({ effect: 'idempotent' });
  // The run reads the effect before it stores the reply, and again before the call starts. From then on, the call is
  // pending and can be rejected.
  const refused = (): Tool => {
    const inner = tool();
    let reads = 0;
    const effect: Tool['effect'] = (input) => {
      reads += 1;
      if (reads > 1) late.rejected ??= late.reject?.();
      return inner.effect(input);
    };
    return { ...inner, effect };
  };
  const { conversation } = await started([record('a'), done], { tools: () => [refused(), finish()] });
  late.reject = () => conversation.reject('No.');
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  await late.rejected;
  expect([...runs]).toEqual([]);
  expect((await eventsOf(conversation)).filter((event) => UserRejectObservation.is(event))).toHaveLength(1);
});
