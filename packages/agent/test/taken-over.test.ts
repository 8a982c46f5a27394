import { mkdtempDisposable } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { StorageError, type EventLog, type EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { defineTool, finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';

const id = '9'.repeat(32);
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const call = (...names: readonly string[]): ScriptedTurn => ({ calls: names.map((name) => ({ name, arguments: {} })) });
const elsewhere = { host: `not-${hostname()}`, pid: 17, boot: 'another' };

type Open = typeof sqliteStore | typeof directoryStore;
const stores: Readonly<Record<string, Open>> = { sqlite: sqliteStore, directory: directoryStore };

/** One conversation and two hosts with one clock. The first has the lease; `takeOver` moves it to the second. */
async function world(
  open: Open,
  steps: readonly ScriptedStep[],
  { leaseMs = 3_600_000, clock = (at: number) => at } = {},
) {
  const directory = await mkdtempDisposable(join(tmpdir(), 'taken-over-'));
  const path = join(directory.path, 'store');
  let time = 1_750_000_000_000;
  const now = (): number => time;
  const options = { path, now: () => clock(time), leaseMs, durability: 'buffered' } as const;
  const first: EventStore = await open({ ...options, holder: elsewhere });
  const second: EventStore = await open(options);
  const ran: string[] = [];
  const model = scriptedModel(steps);
  const events: {
    during?: (name: string, signal: AbortSignal) => Promise<void>;
    stored?: (text: string) => Promise<void>;
  } = {};
  const slowly = (log: EventLog): EventLog =>
    Object.assign(Object.create(log) as EventLog, {
      append: async (...[rows, settings]: Parameters<EventLog['append']>) => {
        const seqs = await log.append(rows, settings);
        await events.stored?.(rows.map(({ text }) => text).join(''));
        return seqs;
      },
    });
  const watched: EventStore = Object.assign(Object.create(first) as EventStore, {
    create: async (...args: Parameters<EventStore['create']>) => slowly(await first.create(...args)),
  });
  const tool = (name: string, effect: 'read' | 'write') =>
    defineTool({
      name,
      description: 'Does it.',
      input: z.object({}),
      effect,
      execute: async (_, { signal }) => {
        ran.push(name);
        await events.during?.(name, signal);
        return 'Done.';
      },
    });
  const agentOf = (asked = model) =>
    defineAgent({
      model: asked,
      tools: () => [tool('look', 'read'), tool('write', 'write'), tool('slow', 'read'), finish()],
      concurrency: 2,
    });
  const made = { workspace: process.cwd(), now, timeout: () => new AbortController().signal };
  const conversation = await Conversation.create({ ...made, agent: agentOf(), store: watched, id });
  await conversation.send('Go.');
  const pass = (): void => void (time += leaseMs + 1);
  const takeOver = async (): Promise<readonly string[]> => {
    pass();
    await using other = await Conversation.open({ ...made, agent: agentOf(scriptedModel([done])), store: second, id });
    await other.send('I continue here.');
    expect((await other.run()).reason).toBe('finished');
    return Array.fromAsync(other.events(), ({ text }) => text);
  };
  const log = async (): Promise<readonly string[]> =>
    Array.fromAsync((await second.read(id)).range(0), ({ text }) => text);
  const close = async (): Promise<void> => {
    await conversation[Symbol.asyncDispose]();
    for (const store of [first, second]) await store[Symbol.asyncDispose]();
    await directory.remove();
  };
  return { conversation, model, events, ran, pass, takeOver, log, close };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe.for(Object.entries(stores))('%s', ([, open]) => {
  test.for(['a model call', 'a read', 'a write'] as const)(
    'a conversation that is taken over during %s stores nothing more, and reports the loss',
    async (when) => {
      let foreign: readonly string[] = [];
      const takeOver = async (): Promise<void> => void (foreign = await self.takeOver());
      const asked = async (): Promise<ScriptedTurn> => {
        await takeOver();
        return call('write', 'look');
      };
      const steps: readonly ScriptedStep[] =
        when === 'a model call' ? [asked] : [call(when === 'a read' ? 'look' : 'write', 'finish')];
      const self = await world(open, [...steps, done, done]);
      self.events.during = takeOver;
      const { conversation } = self;
      await expect(conversation.run()).rejects.toMatchObject({ name: 'StorageError', code: 'fenced' });
      const started = { 'a model call': [], 'a read': ['look'], 'a write': ['write'] };
      expect(self.ran).toEqual(started[when]);
      expect(self.model.requests).toHaveLength(1);
      const lost = { name: 'AgentError', code: 'taken-over', cause: { code: 'fenced' } };
      await expect(conversation.run()).rejects.toMatchObject(lost);
      await expect(conversation.send('Still there?')).rejects.toMatchObject(lost);
      await expect(conversation.approve()).rejects.toMatchObject(lost);
      await expect(conversation.navigate(undefined)).rejects.toMatchObject(lost);
      // The state has no event that was lost.
      expect(conversation.state).toEqual(await conversation.stateAt(foreign.length));
      expect([self.model.requests.length, await self.log()]).toEqual([1, foreign]);
      await self.close();
    },
  );

  test('a write whose process was stopped after it was stored does not start', async () => {
    const self = await world(open, [call('write'), done]);
    self.events.stored = async (text) => {
      if (!text.includes('idempotency_key')) return;
      delete self.events.stored;
      await self.takeOver();
      vi.advanceTimersByTime(20_000);
    };
    await expect(self.conversation.run()).rejects.toMatchObject({ code: 'fenced' });
    expect(self.ran).toEqual([]);
    await self.close();
  });

  test('the first call that notices the loss cancels the model call in flight', async () => {
    const hang = async (): Promise<ScriptedTurn> => {
      await self.takeOver();
      void self.conversation.send('Hello?').catch((error: unknown) => kinds.push(error));
      return { fault: { kind: 'hang', afterPieces: 0 } };
    };
    const kinds: unknown[] = [];
    const self = await world(open, [hang]);
    await expect(self.conversation.run()).rejects.toMatchObject({ code: 'fenced' });
    expect(kinds).toMatchObject([{ code: 'fenced' }]);
    await self.close();
  });

  test('the first call that notices the loss cancels the concurrent tools', async () => {
    const self = await world(open, [call('slow', 'look', 'write')]);
    let hasCancelled = false;
    const slowBegins = Promise.withResolvers<void>();
    self.events.during = async (name, signal) => {
      if (name === 'slow') {
        slowBegins.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        hasCancelled = true;
        return;
      }
      await slowBegins.promise;
      await self.takeOver();
    };
    await expect(self.conversation.run()).rejects.toMatchObject({ code: 'fenced' });
    expect([hasCancelled, self.ran.toSorted()]).toEqual([true, ['look', 'slow']]);
    await self.close();
  });

  test('failed renewals of the lease do not end the run', async () => {
    let failed: (() => void) | undefined;
    const clock = (at: number): number => {
      if (!failed) return at;
      failed();
      // Fails as a disk would: the clock is the only part of a renewal that a test can replace.
      throw new StorageError('io', 'The lease cannot be written.');
    };
    const self = await world(open, [call('write'), done], { leaseMs: 30, clock });
    self.events.during = async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let count = 0;
      failed = () => {
        count += 1;
        if (count === 2) resolve();
      };
      await promise;
      failed = undefined;
    };
    expect((await self.conversation.run()).reason).toBe('finished');
    await self.close();
  });

  test('an expired lease stays with its holder until another process takes it: the run continues', async () => {
    const self = await world(open, [call('write'), done]);
    self.events.during = async () => self.pass();
    expect((await self.conversation.run()).reason).toBe('finished');
    await self.close();
  });
});
