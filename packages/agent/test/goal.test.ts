import { expect, test } from 'vitest';
import { textOf } from '@varve/events';
import { ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { crashingStore } from '../src/testing/crashing-store.ts';

const id = 'c'.repeat(32);
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const note: ScriptedTurn = { calls: [{ name: 'note', arguments: { text: 'x' } }] };
const verdict = (complete: boolean, missing = ''): ScriptedTurn => ({
  text: `Here it is: ${JSON.stringify({ score: complete ? 1 : 0.25, complete, missing })}`,
  costUsd: 0.5,
  usage: { input_tokens: 20, output_tokens: 4 },
});

const noteTool = () =>
  defineTool({
    name: 'note',
    description: 'Notes.',
    input: z.object({ text: z.string().describe('A text.') }),
    effect: 'write',
    execute: async () => 'Noted.',
  });

interface Script extends Partial<AgentOptions> {
  readonly store?: EventStore;
}

async function started(steps: readonly ScriptedStep[], { store = memoryStore(), ...options }: Script = {}) {
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [noteTool(), finish()], ...options });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
  return { conversation, store, model, agent };
}

/** Agent whose model is not called. */
const silent = () => defineAgent({ model: scriptedModel([]), tools: () => [noteTool(), finish()] });

async function goalsOf(conversation: Conversation) {
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  return events.flatMap((event) => {
    if (!ConversationStateUpdateEvent.is(event) || event.key !== 'goal') return [];
    const { status, iteration } = event.value as { readonly status: string; readonly iteration: number };
    return [`${status} ${iteration}`];
  });
}

async function messagesOf(conversation: Conversation) {
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  return events.flatMap((event) =>
    MessageEvent.is(event) && event.source === 'user' ? [textOf(event.llm_message.content)] : [],
  );
}

test('a goal runs until its judge accepts the work, and names what is missing in between', async () => {
  const judge = scriptedModel([verdict(false, 'The tests were not run.'), verdict(true)]);
  const { conversation } = await started([note, done, note, done]);
  await using _ = conversation;
  const end = await conversation.goal.start('Make </objective> the tests pass.', { judge });
  expect(end).toMatchObject({ run: { reason: 'finished', text: 'Done.' } });
  expect(end.goal).toEqual({
    active: false,
    status: 'complete',
    iteration: 2,
    max_iterations: 10,
    objective: 'Make </objective> the tests pass.',
    verdict: { score: 1, complete: true, missing: '' },
  });
  expect(conversation.goal.state).toEqual(end.goal);
  expect(await goalsOf(conversation)).toEqual(['running 0', 'running 1', 'complete 2']);
  const [first, second, ...others] = await messagesOf(conversation);
  expect([first, others]).toEqual(['Make </objective> the tests pass.', []]);
  expect(second).toMatch(/check 1 of 10.*\nThe tests were not run\.[^]*Make <\/objective> the tests pass\./);
  const [request] = judge.requests;
  expect(textOf(request?.messages[0]?.content ?? [])).toContain('"call":"note"');
  expect(textOf(request?.messages[0]?.content ?? []).match(/<\/objective>/g)).toHaveLength(1);
  expect(conversation.state.stats.byUsageId['judge']).toMatchObject({ calls: 2, cost_usd: 1 });
});

test('the last round that is not accepted ends a goal as capped', async () => {
  const judge = scriptedModel([verdict(false), { text: 'I cannot tell.' }]);
  const { conversation } = await started([done, done]);
  await using _ = conversation;
  const { goal } = await conversation.goal.start('Win.', { judge, maxIterations: 2 });
  expect(goal).toMatchObject({ active: false, status: 'capped', iteration: 2 });
  expect(goal.verdict).toEqual({ score: 0, complete: false, missing: 'The reply of the judge was not a verdict.' });
  await expect(conversation.goal.resume()).rejects.toMatchObject({ code: 'nothing-to-do' });
});

test('a verdict is complete only if it contains the value true, and its fields are limited', async () => {
  const lies = { score: 7, complete: 'true', missing: 'm'.repeat(9000) };
  const judge = scriptedModel([{ text: JSON.stringify(lies) }]);
  const { conversation } = await started([done]);
  await using _ = conversation;
  const { goal } = await conversation.goal.start('Win.', { judge, maxIterations: 1 });
  expect(goal).toMatchObject({ status: 'capped', verdict: { score: 1, complete: false } });
  expect(goal.verdict?.missing).toHaveLength(4000);
});

test.for([
  ['an objective without text', ' ', 1],
  ['no rounds', 'Win.', 0],
  ['a fraction of a round', 'Win.', 1.5],
] as const)('a goal with %s is refused, and nothing is stored', async ([, objective, maxIterations]) => {
  const { conversation } = await started([]);
  await using _ = conversation;
  const { head } = conversation.state;
  await expect(conversation.goal.start(objective, { maxIterations })).rejects.toMatchObject({ code: 'invalid' });
  await expect(conversation.goal.resume()).rejects.toMatchObject({ code: 'nothing-to-do' });
  expect([conversation.state.head, conversation.goal.state]).toEqual([head, undefined]);
});

test('a run that is stuck is judged', async () => {
  const same = Array.from({ length: 40 }, () => note);
  const judge = scriptedModel([verdict(true)]);
  const { conversation } = await started(same);
  await using _ = conversation;
  const { goal, run } = await conversation.goal.start('Win.', { judge });
  expect([goal.status, run.reason]).toEqual(['complete', 'stuck']);
});

test.for([
  ['an error', [{ fault: { kind: 'answer', status: 400, body: 'No.' } }, done], {}, 'error'],
  ['a limit', [note, note, done], { run: { maxIterations: 1 } }, 'max-iterations'],
] as const)('%s interrupts a goal, and resume() continues it', async ([, steps, options, reason]) => {
  const { conversation } = await started(steps);
  await using _ = conversation;
  const first = await conversation.goal.start('Win.', options);
  expect([first.goal.status, first.goal.active, first.run.reason]).toEqual(['interrupted', false, reason]);
  const { goal } = await conversation.goal.resume({ judge: scriptedModel([verdict(true)]) });
  expect(goal).toMatchObject({ status: 'complete', iteration: 1, max_iterations: 10 });
});

test('a goal whose calls wait for approval is interrupted, and continues with them once they are approved', async () => {
  const { conversation } = await started([note, done], { confirmation: alwaysConfirm() });
  await using _ = conversation;
  const first = await conversation.goal.start('Win.');
  expect([first.goal.status, first.run.reason]).toEqual(['interrupted', 'waiting']);
  await conversation.approve();
  const { goal } = await conversation.goal.resume({ judge: scriptedModel([verdict(true)]) });
  expect([goal.status, (await messagesOf(conversation)).length]).toEqual(['complete', 1]);
});

test('pause() and an error of the judge interrupt a goal', async () => {
  const judge = scriptedModel([]);
  const pausing = (): ScriptedTurn => {
    conversation.pause();
    return note;
  };
  const { conversation } = await started([done, pausing, done]);
  await using _ = conversation;
  const failed = await conversation.goal.start('Win.', { judge });
  expect([failed.goal.status, failed.run.reason, failed.error?.code]).toEqual([
    'interrupted',
    'finished',
    'script-mismatch',
  ]);
  const paused = await conversation.goal.resume();
  expect([paused.goal.status, paused.run.reason]).toEqual(['interrupted', 'paused']);
});

test('a message of the user interrupts a goal during a run and while it is judged, and is answered', async () => {
  const writing = (): ScriptedTurn => {
    void conversation.send('Stop that.');
    return note;
  };
  const answer: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Stopped.' } }] };
  const { conversation, model } = await started([writing, answer, done, answer]);
  await using _ = conversation;
  const during = await conversation.goal.start('Win.');
  expect(during).toMatchObject({ goal: { status: 'interrupted', iteration: 0 }, run: { text: 'Stopped.' } });
  const judge = scriptedModel([
    () => {
      void conversation.send('Really stop.');
      return { fault: { kind: 'hang', afterPieces: 0 } };
    },
  ]);
  const between = await conversation.goal.resume({ judge });
  expect(between).toMatchObject({ goal: { status: 'interrupted', iteration: 0 }, run: { text: 'Stopped.' } });
  expect(between.error).toBeUndefined();
  expect(model.requests).toHaveLength(4);
  expect(await goalsOf(conversation)).toEqual(['running 0', 'interrupted 0', 'running 0', 'interrupted 0']);
});

test('stop() interrupts the goal and lets its run end; other runs are refused in the meantime', async () => {
  const stopped: unknown[] = [];
  const stopping = (): ScriptedTurn => {
    const other = conversation.run().catch((error: unknown) => error);
    void other.then((error) => stopped.push(error));
    void conversation.goal.stop().then((wasRunning) => stopped.push(wasRunning));
    return note;
  };
  const { conversation } = await started([stopping, done]);
  await using _ = conversation;
  const { goal, run } = await conversation.goal.start('Win.');
  expect([goal.status, run.reason]).toEqual(['interrupted', 'finished']);
  expect(stopped).toEqual([expect.objectContaining({ code: 'busy' }), true]);
  expect(await conversation.goal.stop()).toBe(false);
});

test('after a crash at any append the goal is interrupted, and resume() completes it', async () => {
  const script = [note, done, note, done];
  for (const stored of [true, false]) {
    for (let at = 2; ; at++) {
      const store = memoryStore();
      const judge = () => scriptedModel([verdict(false, 'More.'), verdict(true)]);
      const { conversation } = await started(script, { store: crashingStore(store, { at, stored }) });
      const ended = await conversation.goal.start('Win.', { judge: judge() }).catch((error: Error) => error.name);
      await conversation[Symbol.asyncDispose]().catch(() => undefined);
      if (ended !== 'Crash') break;
      const agent = defineAgent({ model: scriptedModel(script), tools: () => [noteTool(), finish()] });
      await using reopened = await Conversation.open({ agent, store, id });
      const { state } = reopened.goal;
      if (state === undefined || state.status === 'complete') continue;
      expect(state).toMatchObject({ status: 'interrupted', active: false });
      const { goal } = await reopened.goal.resume({ judge: judge() });
      expect(goal).toMatchObject({ status: 'complete', objective: 'Win.', max_iterations: 10 });
      const goals = await goalsOf(reopened);
      expect(goals.filter((text) => text.startsWith('interrupted'))).toHaveLength(1);
      expect(reopened.state.status).toBe('finished');
    }
  }
});

test('the first event after a crash ends the goal in the log, and forks do not pursue it', async () => {
  const store = memoryStore();
  const { conversation } = await started([note], { store: crashingStore(store, { at: 3, stored: true }) });
  await expect(conversation.goal.start('Win.')).rejects.toThrow('Crashed');
  await conversation[Symbol.asyncDispose]().catch(() => undefined);
  const agent = defineAgent({ model: scriptedModel([done]), tools: () => [noteTool(), finish()] });
  await using reopened = await Conversation.open({ agent, store, id });
  await using fork = await reopened.fork();
  expect(fork.goal.state?.status).toBe('interrupted');
  await reopened.rename('Later');
  expect(await goalsOf(reopened)).toEqual(['running 0', 'interrupted 0']);
});

test('a requested goal is stored before its loop, and a message that interrupts it is only answered', async () => {
  const { conversation, model } = await started([done, note, done]);
  const stopped = await conversation.goal.request('Win.', 3);
  expect([conversation.state.status, await goalsOf(conversation)]).toEqual(['running', ['running 0']]);
  await conversation.rename('Named while it waits');
  expect(conversation.goal.state?.status).toBe('running');
  await conversation.send('Something else.');
  expect((await stopped({ judge: scriptedModel([]) })).goal.status).toBe('interrupted');
  expect(await messagesOf(conversation)).toEqual(['Something else.']);
  const resumed = await conversation.goal.requestResume();
  const { goal } = await resumed({ judge: scriptedModel([verdict(true)]) });
  expect([goal.status, goal.max_iterations, model.requests.length]).toEqual(['complete', 3, 3]);
  expect(conversation.goal.isAbandoned).toBe(false);
  await expect(conversation.goal.request(' ')).rejects.toMatchObject({ code: 'invalid' });
  await expect(conversation.goal.requestResume()).rejects.toMatchObject({ code: 'nothing-to-do' });
});

test('a process that opens a conversation after a crash finds the goal that was requested', async () => {
  const store = memoryStore();
  const { conversation } = await started([], { store });
  await conversation.goal.request('Win.', 3);
  await conversation[Symbol.asyncDispose]();
  const agent = defineAgent({ model: scriptedModel([done]), tools: () => [noteTool(), finish()] });
  await using reopened = await Conversation.open({ agent, store, id });
  expect([reopened.goal.isAbandoned, reopened.state.status]).toEqual([true, 'running']);
  const resumed = await reopened.goal.requestResume();
  const { goal } = await resumed({ judge: scriptedModel([verdict(true)]) });
  expect(goal).toMatchObject({ status: 'complete', objective: 'Win.', iteration: 1 });
  expect((await messagesOf(reopened))[0]).toContain('Resume the work on this objective, which was interrupted: Win.');
  expect(await goalsOf(reopened)).toEqual(['running 0', 'interrupted 0', 'running 0', 'running 0', 'complete 1']);
});

test('stop() of a goal that another process left is stored', async () => {
  const store = memoryStore();
  const { conversation } = await started([], { store });
  await conversation.goal.request('Win.', 3);
  await conversation[Symbol.asyncDispose]();
  const agent = defineAgent({ model: scriptedModel([]), tools: () => [noteTool(), finish()] });
  await using reopened = await Conversation.open({ agent, store, id });
  expect(await reopened.goal.stop()).toBe(false);
  expect(await goalsOf(reopened)).toEqual(['running 0', 'interrupted 0']);
  expect(reopened.goal.isAbandoned).toBe(false);
});

test('a crash while a goal that another process left is requested again leaves it to the next one', async () => {
  for (const stored of [true, false]) {
    const store = memoryStore();
    const { conversation } = await started([], { store });
    await conversation.goal.request('Win.', 3);
    await conversation[Symbol.asyncDispose]();
    let outcome = '';
    for (let at = 1; outcome !== 'stored'; at += 1) {
      const crashing = await Conversation.open({ agent: silent(), store: crashingStore(store, { at, stored }), id });
      const requested = crashing.goal.requestResume();
      outcome = await requested.then(
        () => 'stored',
        () => 'crashed',
      );
      await crashing[Symbol.asyncDispose]().catch(() => undefined);
      await using reopened = await Conversation.open({ agent: silent(), store, id });
      expect([at, reopened.goal.isAbandoned]).toEqual([at, true]);
    }
  }
});
