import { alwaysConfirm, defineAgent } from '@varve/agent';
import { Crash, crashingStore } from '@varve/agent/testing';
import { textOf } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { memoryRecords } from '../../../storage/test/memory-records.ts';
import { createHost } from './host.ts';

const id = '0'.repeat(32);
const reply: ScriptedStep = { text: 'I am awake.' };
const write = defineTool({
  name: 'write',
  description: 'Writes.',
  input: z.object({}),
  effect: 'write',
  execute: async () => 'Written.',
});

/** A process with a host and a clock that a test sets. */
function processOf(store: EventStore, turns: readonly ScriptedStep[] = Array.from({ length: 9 }, () => reply)) {
  const clock = { now: 0 };
  const ticks = new Set<() => void>();
  const failures: unknown[] = [];
  const model = scriptedModel(turns);
  const support = defineAgent({ model, tools: [write, finish()], confirmation: alwaysConfirm() });
  const host = createHost({
    store,
    agents: { support },
    now: () => clock.now,
    every(_ms, tick) {
      ticks.add(tick);
      return { [Symbol.dispose]: () => void ticks.delete(tick) };
    },
    onFailure: (error) => failures.push(error),
  });
  const tickAt = (now: number): void => {
    clock.now = now;
    for (const tick of ticks) tick();
  };
  return { host, model, tickAt, ticks, failures };
}

async function messagesIn(store: EventStore): Promise<readonly string[]> {
  const events = await Array.fromAsync((await store.read(id)).range(0), ({ text }) => JSON.parse(text) as MessageEvent);
  return events.filter((event) => MessageEvent.is(event)).map((event) => textOf(event.llm_message.content));
}

test('a conversation receives its messages at their times, once, and answers each', async () => {
  await using store = memoryStore();
  const { host, model, tickAt, ticks } = processOf(store);
  await host.recover();
  await host.create({ agent: 'support', workspace: '/', id });
  await host.wakeAt(id, { at: 2_000, message: 'Second.', id: 'b' });
  await host.wakeAt(id, { at: 1_000, message: 'First.', id: 'a' });
  expect(await host.wakeAt(id, { at: 9_000, message: 'Other.', id: 'a' })).toBe('a');
  expect((await host.wakes(id)).map(({ message, at }) => [message, at])).toEqual([
    ['First.', 1_000],
    ['Second.', 2_000],
  ]);
  tickAt(999);
  tickAt(1_000);
  await expect.poll(async () => (tickAt(1_000), host.wakes(id))).toMatchObject([{ id: 'b' }]);
  await host.use(id, ({ runs }) => runs.idle());
  expect([await messagesIn(store), model.requests.length]).toEqual([['First.', 'I am awake.'], 1]);
  await host.wakeAt(id, { at: 1_500, message: 'Again.', id: 'a' });
  await expect.poll(async () => (tickAt(2_500), host.wakes(id))).toEqual([]);
  await host.use(id, ({ runs }) => runs.idle());
  expect((await messagesIn(store)).filter((text) => text !== 'I am awake.')).toEqual(['First.', 'Second.']);
  await host.close(AbortSignal.abort());
  expect([...ticks]).toEqual([]);
});

test('a cancelled wake, one of a removed conversation and an invalid one send nothing', async () => {
  await using store = memoryStore();
  const { host, model, tickAt, failures } = processOf(store);
  await using _ = host;
  await host.recover();
  await host.create({ agent: 'support', workspace: '/', id });
  const wake = await host.wakeAt(id, { at: 1, message: 'Wake up.' });
  expect([await host.cancelWake(id, wake), await host.cancelWake(id, wake), await host.wakes(id)]).toEqual([
    true,
    false,
    [],
  ]);
  for (const wrong of [{ at: 1.5 }, { at: -1 }, { at: Infinity }, { message: ' ' }, { id: 'a/b' }])
    await expect(host.wakeAt(id, { at: 1, message: 'x', ...wrong })).rejects.toMatchObject({ code: 'invalid' });
  await host.wakeAt(id, { at: 1, message: 'Wake up.' });
  await host.remove(id);
  tickAt(2);
  await host.create({ agent: 'support', workspace: '/', id });
  tickAt(3);
  await host.wakeAt(id, { at: 4, message: 'Last.' });
  await expect.poll(async () => (tickAt(4), host.wakes(id))).toEqual([]);
  await host.use(id, ({ runs }) => runs.idle());
  expect([await messagesIn(store), model.requests.length, failures]).toEqual([['Last.', 'I am awake.'], 1, []]);
});

test('a wake leaves calls that wait, and what a person paused', async () => {
  await using store = memoryStore();
  const { host, model, tickAt } = processOf(store, [{ calls: [{ name: 'write', arguments: {} }] }, reply]);
  await using _ = host;
  await host.recover();
  await host.create({ agent: 'support', workspace: '/', id });
  await host.send(id, 'Write.');
  const wakeUp = async (at: number) => {
    await host.wakeAt(id, { at, message: `Wake ${at}.` });
    await expect.poll(async () => (tickAt(at), host.wakes(id))).toEqual([]);
    return host.use(id, async ({ runs, conversation }) => {
      await runs.idle();
      return [conversation.state.status, conversation.state.pending.length, model.requests.length];
    });
  };
  await host.use(id, ({ runs }) => runs.idle());
  expect(await wakeUp(1)).toEqual(['waiting_for_confirmation', 1, 1]);
  await host.use(id, async ({ conversation, runs }) => {
    await conversation.reject('No.');
    await runs.pause();
  });
  expect(await wakeUp(2)).toEqual(['paused', 0, 1]);
});

test('a fork has no wakes of its origin', async () => {
  await using store = memoryStore();
  const { host } = processOf(store);
  await using _ = host;
  await host.create({ agent: 'support', workspace: '/', id });
  await host.send(id, 'Hello.');
  await host.wakeAt(id, { at: 1, message: 'Wake up.' });
  const fork = 'f'.repeat(32);
  await host.use(id, async ({ conversation, runs }) => {
    await runs.idle();
    await (await conversation.fork({ id: fork }))[Symbol.asyncDispose]();
  });
  expect([(await host.wakes(id)).length, await host.wakes(fork)]).toEqual([1, []]);
});

test('after a restart, wakes come whose ids are those of others that are over', async () => {
  await using store = memoryStore();
  const { host } = processOf(store);
  await host.recover();
  const other = 'f'.repeat(32);
  for (const each of [other, id]) await host.create({ agent: 'support', workspace: '/', id: each });
  for (const each of [other, id]) await host.wakeAt(each, { at: 1, message: 'Wake up.', id: 'daily' });
  expect(await host.cancelWake(other, 'daily')).toBe(true);
  await host.wakeAt(other, { at: 2, message: 'Wake up.', id: 'daily' });
  await host.close(AbortSignal.abort());
  const later = processOf(store);
  await using _ = later.host;
  await later.host.recover();
  for (const each of [other, id])
    await expect.poll(async () => (later.tickAt(2), later.host.wakes(each)), { timeout: 3_000 }).toEqual([]);
});

test('a wake that is not stored, because its id is, does not let the stored one come earlier', async () => {
  await using store = memoryStore();
  const { host, tickAt } = processOf(store);
  await using _ = host;
  await host.recover();
  await host.create({ agent: 'support', workspace: '/', id });
  await host.wakeAt(id, { at: 9, message: 'Later.', id: 'a' });
  await host.wakeAt(id, { at: 1, message: 'Earlier.', id: 'a' });
  await host.wakeAt(id, { at: 2, message: 'Other.', id: 'b' });
  await expect.poll(async () => (tickAt(2), host.wakes(id))).toEqual([{ id: 'a', at: 9, message: 'Later.' }]);
});

test('a wake continues a conversation whose run failed', async () => {
  await using store = memoryStore();
  const { host, tickAt, model } = processOf(store, [
    { error: { code: 'unauthenticated', message: 'Wrong key.' } },
    reply,
  ]);
  await using _ = host;
  await host.recover();
  await host.create({ agent: 'support', workspace: '/', id });
  await host.send(id, 'Hello.');
  await host.use(id, ({ runs }) => runs.idle());
  expect(await host.use(id, async ({ conversation }) => conversation.state.status)).toBe('error');
  await host.wakeAt(id, { at: 1, message: 'Wake up.' });
  await expect.poll(async () => (tickAt(2), host.wakes(id))).toEqual([]);
  await host.use(id, ({ runs }) => runs.idle());
  expect(model.requests.length).toBe(2);
  expect(await host.use(id, async ({ conversation }) => conversation.state.status)).toBe('finished');
});

/** Schedules a wake and lets it come; returns false if the process dies. A process that resumes does what is left. */
async function wakesUp({ host, tickAt, failures }: ReturnType<typeof processOf>): Promise<boolean> {
  try {
    await host.recover();
    if ((await host.wakes(id)).length === 0) await host.wakeAt(id, { at: 1_000, message: 'Wake up.', id: 'a' });
    const isOver = async () => (tickAt(1_000), failures.length > 0 || (await host.wakes(id)).length === 0);
    await expect.poll(isOver).toBe(true);
    await host.use(id, ({ runs }) => runs.idle());
    return failures.length === 0;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return false;
  } finally {
    await host.close(AbortSignal.abort());
  }
}

test.for([true, false])('after a crash at any append (stored: %s) the message is sent once', async (stored) => {
  let crashes = 0;
  for (let at = 1; ; at++) {
    const disk = memoryStore();
    const { host } = processOf(disk);
    await host.create({ agent: 'support', workspace: '/', id });
    await host.close(AbortSignal.abort());
    const isWhole = await wakesUp(processOf(crashingStore(disk, { at, stored })));
    const survivor = memoryStore();
    const log = await survivor.create(id, (await disk.summary(id)).meta);
    for await (const event of (await disk.read(id)).range(0)) await log.append([event]);
    await log[Symbol.asyncDispose]();
    expect(await wakesUp(processOf(survivor)), `crash at ${at}`).toBe(true);
    const messages = await messagesIn(survivor);
    expect(messages, `crash at ${at}`).toEqual(['Wake up.', 'I am awake.']);
    if (isWhole) break;
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(5);
});

const nothing = async (): Promise<undefined> => undefined;

/** A store that several processes share, with records, and without what replicas take over. */
function sharedStore(): EventStore {
  const records = memoryRecords();
  const replicas = { announce: () => undefined, addressOf: nothing, abandon: nothing, abandonRunning: nothing };
  return Object.assign(memoryStore(), {
    replicas: { ...replicas, abandoned: async () => [], release: nothing, records },
  });
}

test('one of several processes that share a store sends a message, also one that another process scheduled', async () => {
  await using store = sharedStore();
  const [first, others] = [processOf(store), [processOf(store), processOf(store), processOf(store)]];
  for (const { host } of others) await host.recover();
  await first.host.create({ agent: 'support', workspace: '/', id });
  await first.host.wakeAt(id, { at: 5, message: 'Wake up.' });
  await first.host.close(AbortSignal.abort());
  const tick = (): void => {
    for (const { tickAt } of others) tickAt(5);
  };
  await expect.poll(async () => (tick(), others[0]?.host.wakes(id))).toEqual([]);
  await expect.poll(async () => (tick(), store.replicas?.records.names('', '~'))).toEqual([]);
  for (const { host } of others) await host.close(new AbortController().signal);
  expect((await messagesIn(store)).filter((text) => text === 'Wake up.')).toHaveLength(1);
  expect(others.flatMap(({ failures }) => failures)).toEqual([]);
  expect(others.map(({ model }) => model.requests.length).toSorted((one, other) => one - other)).toEqual([0, 0, 1]);
});
