import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import type { Budget } from '../src/budget/limits.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { readState } from '../src/log/read-log.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const workspace = process.cwd();
const id = '7'.repeat(32);

const record = (text: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text } }] });

/** Returns a clock that only advances on request, and timers that follow it. */
function handClock() {
  let ms = 1_770_000_000_000;
  const timers: { readonly at: number; readonly abort: AbortController }[] = [];
  const pass = (by: number): void => {
    ms += by;
    for (const { at, abort } of timers) if (at <= ms) abort.abort();
  };
  const timeout = (after: number): AbortSignal => {
    const abort = new AbortController();
    timers.push({ at: ms + after, abort });
    return abort.signal;
  };
  return { pass, options: { now: () => ms, timeout } };
}

/** Returns a conversation in which each reply takes a given number of milliseconds. */
function taking({ pass, options }: ReturnType<typeof handClock>, budget: Partial<Budget> = {}) {
  const { tool } = countingTool();
  const slow =
    (ms: number, turn: ScriptedTurn): ScriptedStep =>
    () => {
      pass(ms);
      return turn;
    };
  const agentOf = (steps: readonly ScriptedStep[]) =>
    defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()], budget });
  const create = (steps: readonly ScriptedStep[], store: EventStore = memoryStore()) =>
    Conversation.create({ agent: agentOf(steps), store, workspace, id, ...options });
  const open = (steps: readonly ScriptedStep[], store: EventStore) =>
    Conversation.open({ agent: agentOf(steps), store, id, ...options });
  return { slow, create, open };
}

test('a run that took too long ends before its next step, without any timer', async () => {
  const clock = handClock();
  const { slow, create } = taking({
    ...clock,
    options: { ...clock.options, timeout: () => new AbortController().signal },
  });
  await using conversation = await create([slow(60, record('a')), slow(60, record('b')), done]);
  await conversation.send('Go.');
  expect(await conversation.run({ maxMs: 100 })).toMatchObject({ reason: 'max-time', iterations: 2, activeMs: 120 });
  expect(conversation.state.error).toEqual({
    code: 'MaxTimeReached',
    detail: 'The run took 120 milliseconds, and its limit is 100.',
  });
  expect(await conversation.run({ maxMs: 100 })).toMatchObject({ reason: 'finished', activeMs: 120 });
});

test('the active time of a conversation is the sum of its runs without the time between them, also after a restart', async () => {
  const clock = handClock();
  const { slow, create, open } = taking(clock, { maxMs: 100 });
  const store = memoryStore();
  {
    await using conversation = await create([slow(40, record('a')), slow(20, { text: 'Well?' })], store);
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ reason: 'finished', activeMs: 60 });
  }
  clock.pass(3_600_000);
  await using again = await open([slow(30, record('b')), slow(30, done)], store);
  await again.send('Continue.');
  clock.pass(3_600_000);
  expect(await again.run()).toMatchObject({ reason: 'max-time', iterations: 2, activeMs: 120 });
  expect(again.state.error?.detail).toBe('The conversation took 100 milliseconds, and its limit is 100.');
  expect(await again.run()).toMatchObject({ reason: 'max-time', iterations: 0, activeMs: 120 });
});

test('the active time of a run that crashed ends at its last stored event', async () => {
  const clock = handClock();
  const { slow, create, open } = taking(clock);
  const disk = memoryStore();
  // Appends: message, running, reply, effect, observation, then the reply that is lost.
  const store = crashingStore(disk, { at: 6, stored: false });
  const conversation = await create([slow(50, record('a')), slow(70, record('b'))], store);
  await conversation.send('Go.');
  await expect(conversation.run()).rejects.toThrow(Crash);
  await conversation[Symbol.asyncDispose]();
  clock.pass(3_600_000);
  await using again = await open([slow(5, done)], disk);
  expect(again.state).toMatchObject({ status: 'running', activeMs: 50 });
  expect(await again.run()).toMatchObject({ reason: 'finished', activeMs: 55 });
});

test('a run that is stopped before it starts does not count the time since a crash', async () => {
  const clock = handClock();
  const { slow, create, open } = taking(clock);
  const disk = memoryStore();
  const store = crashingStore(disk, { at: 6, stored: false });
  const conversation = await create([slow(50, record('a')), record('b')], store);
  await conversation.send('Go.');
  await expect(conversation.run()).rejects.toThrow(Crash);
  await conversation[Symbol.asyncDispose]();
  clock.pass(3_600_000);
  await using again = await open([slow(5, done)], disk);
  expect(await again.run({ signal: AbortSignal.abort() })).toMatchObject({ reason: 'interrupted', activeMs: 50 });
  expect(await again.run()).toMatchObject({ reason: 'finished', activeMs: 55 });
});

test('a fork has its whole time budget left, also after a restart', async () => {
  const clock = handClock();
  const { slow, create } = taking(clock, { maxMs: 100 });
  const store = memoryStore();
  await using conversation = await create([slow(90, record('a')), slow(5, done), slow(40, done)], store);
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', activeMs: 95 });
  await using fork = await conversation.fork({ id: '8'.repeat(32) });
  await fork.send('Again.');
  expect(await fork.run()).toMatchObject({ reason: 'finished', activeMs: 40 });
  expect(await readState(await store.read(fork.id))).toMatchObject({ activeMs: 40 });
});

test('time that runs backwards counts as zero', async () => {
  const clock = handClock();
  const { slow, create } = taking(clock);
  await using conversation = await create([slow(-500, done)]);
  await conversation.send('Go.');
  expect(await conversation.run({ maxMs: 100 })).toMatchObject({ reason: 'finished', activeMs: 0 });
});

test('times with fractions of milliseconds are rounded down in every stored event', async () => {
  const model = scriptedModel([record('a'), done]);
  const agent = defineAgent({ model, tools: () => [countingTool().tool(), finish()], confirmation: alwaysConfirm() });
  const store = memoryStore();
  await using conversation = await Conversation.create({
    agent,
    store,
    workspace,
    id,
    now: () => 1_770_000_000_000.75,
  });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  await conversation.approve();
  expect(await conversation.run()).toMatchObject({ reason: 'finished', activeMs: 0 });
  const texts = await Array.fromAsync((await store.read(id)).range(0), ({ text }) => text);
  const times = texts.flatMap((text) => /"at":([\d.]+)/.exec(text)?.[1] ?? []);
  expect(new Set(times)).toEqual(new Set(['1770000000000']));
});
