import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textOf, type BaseEvent } from '@varve/events';
import { callFact } from '@varve/events/facts';
import { ActionEvent, MessageEvent, ObservationEvent, SystemPromptEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const record = (...texts: string[]): ScriptedTurn => ({
  calls: texts.map((text) => ({ name: 'record', arguments: { text } })),
  costUsd: 0.5,
});

async function started(steps: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const { tool, runs } = countingTool();
  const agent = defineAgent({ model, tools: () => [tool(), finish()], ...options });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, model, runs, agent, store };
}

const eventsOf = (conversation: Conversation) =>
  Array.fromAsync(conversation.events(), ({ event }): BaseEvent => event);
const linesOf = (conversation: Conversation) =>
  conversation.request().messages.map(({ role, content }) => `${role}: ${textOf(content)}`);

test('navigating back and continuing makes a branch; the other branch stays and can be navigated to', async () => {
  const { conversation } = await started([record('a'), done, { text: 'Another way.' }]);
  await conversation.run();
  const all = await eventsOf(conversation);
  const first = all.find((event) => MessageEvent.is(event));
  const leaf = conversation.state.leafId;
  await conversation.navigate(first?.id);
  expect(conversation.state).toMatchObject({ leafId: first?.id, status: 'idle' });
  expect(linesOf(conversation).some((line) => line.includes('Recorded'))).toBe(false);
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'Another way.' });
  await conversation.navigate(leaf);
  expect(linesOf(conversation).some((line) => line.includes('Another way'))).toBe(false);
  expect(linesOf(conversation).some((line) => line.includes('Recorded a'))).toBe(true);
  expect((await eventsOf(conversation)).slice(0, all.length)).toEqual(all);
});

test('a subscriber reads the state before the move until it is complete', async () => {
  const { conversation } = await started([done]);
  await conversation.run();
  const { head, leafId } = conversation.state;
  const first = (await eventsOf(conversation)).find((event) => MessageEvent.is(event));
  const until = new AbortController();
  const seen = Array.fromAsync(conversation.events({ from: head, signal: until.signal }), ({ seq }) => {
    if (seq === head + 1) until.abort();
    return conversation.state;
  });
  await conversation.navigate(first?.id);
  const [during] = await seen;
  expect([during?.leafId, during?.view.events.length]).toEqual([leafId, 4]);
  expect(conversation.state).toMatchObject({ leafId: first?.id, status: 'idle' });
});

test('navigating before every event starts a new branch with a system prompt', async () => {
  const { conversation, model } = await started([done, done]);
  await conversation.run();
  await conversation.navigate(undefined);
  expect(conversation.state.view.events).toEqual([]);
  await expect(conversation.run()).rejects.toMatchObject({ code: 'nothing-to-do' });
  await conversation.send('Once more.');
  await conversation.run();
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect((await eventsOf(conversation)).filter((event) => SystemPromptEvent.is(event))).toHaveLength(2);
});

test('a branch survives a restart', async () => {
  const { conversation, agent, store } = await started([record('a'), done, done]);
  await conversation.run();
  const [, message] = await eventsOf(conversation);
  await conversation.navigate(message?.id);
  const before = conversation.request();
  await conversation[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent, store, id: conversation.id });
  expect(again.request()).toEqual(before);
  expect(again.state.leafId).toBe(message?.id);
});

test('navigating back to rejected calls answers them without running them', async () => {
  const { conversation, runs } = await started([record('a', 'b'), done, done], { confirmation: alwaysConfirm() });
  await conversation.run();
  const last = conversation.state.leafId;
  await conversation.reject('No.');
  await conversation.run();
  await conversation.navigate(last);
  expect(conversation.state).toMatchObject({ pending: [], status: 'idle' });
  expect(linesOf(conversation).filter((line) => line.includes('was not executed'))).toHaveLength(2);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(runs.size).toBe(0);
});

test('navigating back to a started call answers that it may have been executed, and does not run it', async () => {
  const { conversation, runs } = await started([record('a'), done, done]);
  await conversation.run();
  await conversation.navigate((await eventsOf(conversation)).find((event) => ActionEvent.is(event))?.id);
  expect(linesOf(conversation).at(-1)).toContain('may have been executed');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs]).toEqual([['a', 1]]);
});

test.for([true, false])('a crash while navigating back leaves one branch or the other (stored: %s)', async (stored) => {
  const { tool, runs } = countingTool();
  const model = scriptedModel([record('a'), done]);
  const agent = defineAgent({ model, tools: () => [tool(), finish()], confirmation: alwaysConfirm() });
  // Appends: settings, message, running, waiting reply, end of the run, rejection, then the navigation.
  const store = crashingStore(memoryStore(), { at: 7, stored });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  await conversation.run();
  const last = conversation.state.leafId;
  await conversation.reject('No.');
  await expect(conversation.navigate(last)).rejects.toThrow(Crash);
  const { pending, leafId } = await conversation.stateAt(await headOf(conversation));
  expect(pending).toEqual([]);
  expect(leafId === last).toBe(false);
  expect(runs.size).toBe(0);
});

async function headOf(conversation: Conversation): Promise<number> {
  return (await Array.fromAsync(conversation.events())).length;
}

test('navigating to a missing event, or to one that nothing can follow, is rejected', async () => {
  const { conversation } = await started([done]);
  await conversation.run();
  const update = (await eventsOf(conversation)).find(({ kind }) => kind === 'ConversationStateUpdateEvent');
  for (const id of ['nothing', update?.id]) {
    await expect(conversation.navigate(id)).rejects.toMatchObject({ code: 'invalid' });
  }
});

test('navigating during a run is rejected', async () => {
  const { conversation } = await started([{ fault: { kind: 'hang', afterPieces: 0 } }]);
  const running = conversation.run();
  await expect(conversation.navigate(undefined)).rejects.toMatchObject({ code: 'busy' });
  await expect(conversation.condense()).rejects.toMatchObject({ code: 'busy' });
  await conversation.interrupt();
  await running;
});

test('a fork has the same events, ids and request, and neither conversation affects the other', async () => {
  const { conversation } = await started([record('a'), done, { text: 'In the fork.' }, { text: 'In the original.' }]);
  await conversation.run();
  const original = await eventsOf(conversation);
  await using fork = await conversation.fork();
  expect((await eventsOf(fork)).slice(1, original.length + 1).map(({ id }) => id)).toEqual(
    original.map(({ id }) => id),
  );
  const { cacheKey: _own, ...asked } = fork.request();
  expect(conversation.request()).toMatchObject(asked);
  expect(fork.state).toMatchObject({ status: 'idle', stats: { total: { calls: 0, cost_usd: 0 } } });
  await fork.send('And now?');
  expect(await fork.run()).toMatchObject({ reason: 'finished', text: 'In the fork.' });
  expect(await eventsOf(conversation)).toEqual(original);
  await conversation.send('And now?');
  expect(await conversation.run()).toMatchObject({ text: 'In the original.', usage: { cost_usd: 0.5 } });
});

test('a fork at any event that something can follow is legal, and runs no write again', async () => {
  const { conversation, runs, agent } = await started([record('a', 'b'), record('c'), done]);
  await conversation.run();
  for (const { id, kind } of await eventsOf(conversation)) {
    if (kind === 'ConversationStateUpdateEvent') continue;
    const ending = { ...agent, model: scriptedModel([done]) };
    await using fork = await conversation.fork({ at: id, agent: ending });
    expect(fork.state.pending, kind).toEqual([]);
    expect(checkMessages(fork.request().messages), kind).toEqual([]);
    await fork.send('Continue.');
    expect(await fork.run(), kind).toMatchObject({ reason: 'finished' });
  }
  expect([...runs.values()]).toEqual([1, 1, 1]);
});

test('a fork of a waiting conversation does not wait, and the original still waits', async () => {
  const { conversation, runs } = await started([record('a'), done, done], { confirmation: alwaysConfirm() });
  await conversation.run();
  await using fork = await conversation.fork();
  expect(await fork.run()).toMatchObject({ reason: 'finished' });
  expect(runs.size).toBe(0);
  expect(conversation.state.pending).toHaveLength(1);
  await conversation.approve();
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs]).toEqual([['a', 1]]);
});

test('a fork at an event of an abandoned branch continues from there', async () => {
  const { conversation } = await started([record('a'), done, { text: 'Other.' }]);
  await conversation.run();
  const events = await eventsOf(conversation);
  const [action, observation] = [events.find((e) => ActionEvent.is(e)), events.find((e) => ObservationEvent.is(e))];
  await conversation.navigate(events.find((event) => MessageEvent.is(event))?.id);
  await conversation.run();
  await using fork = await conversation.fork({ at: observation?.id ?? '' });
  expect(fork.state.view.events.map(({ id }) => id)).toContain(action?.id);
  expect(linesOf(fork).some((line) => line.includes('Other.'))).toBe(false);
});

test('inherited replies are marked, and policy and secrets are inherited', async () => {
  const { conversation } = await started([record('a'), done, record('hush-hush')], { confirmation: alwaysConfirm() });
  await conversation.run();
  await conversation.approve();
  await conversation.run();
  await using fork = await conversation.fork({ secrets: ['hush-hush'] });
  await fork.send('More.');
  expect(await fork.run()).toMatchObject({ reason: 'waiting' });
  const calls = (await eventsOf(fork)).flatMap((event) => callFact.read(event) ?? []);
  expect(calls.map(({ inherited }) => inherited)).toEqual([true, true, undefined]);
  expect(JSON.stringify(await eventsOf(fork))).not.toContain('hush-hush');
});

test('a fork is listed as a conversation of its own, and opened again in its workspace', async () => {
  const { conversation, store, agent } = await started([done]);
  await conversation.run();
  const first = (await eventsOf(conversation)).find((event) => MessageEvent.is(event));
  const workspace = await mkdtemp(join(tmpdir(), 'fork-'));
  const fork = await conversation.fork({ at: first?.id ?? '', workspace });
  const { id } = fork;
  expect(fork.state.status).toBe('idle');
  await fork[Symbol.asyncDispose]();
  expect((await store.summary(id)).meta).toMatchObject({ status: 'idle', title: 'Go.', workspace });
  await using again = await Conversation.open({ agent, store, id });
  expect(again.workspace).toBe(await realpath(workspace));
});

test('a fork at a missing event, or with an existing id, leaves nothing in the store', async () => {
  const { conversation, store } = await started([done]);
  await conversation.run();
  await expect(conversation.fork({ at: 'nothing' })).rejects.toMatchObject({ code: 'invalid' });
  const { id } = conversation;
  await expect(conversation.fork({ id })).rejects.toMatchObject({ code: 'exists' });
  const update = (await eventsOf(conversation)).find(({ kind }) => kind === 'ConversationStateUpdateEvent');
  await expect(conversation.fork({ at: update?.id ?? '' })).rejects.toMatchObject({ code: 'invalid' });
  expect((await store.list()).items).toHaveLength(1);
});
