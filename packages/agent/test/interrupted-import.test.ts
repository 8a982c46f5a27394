import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore, StorageError, type EventLog, type EventStore, type LogReader } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { exportBundle } from '@varve/storage/maintenance';
import { sqliteStore } from '@varve/storage/sqlite';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash } from '../src/testing/crashing-store.ts';

const id = 'a'.repeat(32);
const forkId = 'f'.repeat(32);
const finishing = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const twoCalls = { calls: ['a', 'b'].map((text) => ({ name: 'record', arguments: { text } })) };

function agentWith(steps: Parameters<typeof scriptedModel>[0]) {
  const { tool, runs } = countingTool();
  const agent = defineAgent({
    model: scriptedModel(steps),
    tools: () => [tool(), finish()],
    confirmation: alwaysConfirm(),
  });
  return { agent, runs };
}

/** Lines of a bundle in which two approved calls wait. */
async function bundleLines(workspace: string): Promise<readonly string[]> {
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent: agentWith([twoCalls]).agent, store, workspace, id });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.approve();
  return Array.fromAsync(exportBundle(await store.read(id), await store.summary(id)));
}

async function* chunks(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const dead = async (): Promise<never> => Promise.reject(new Crash('The process is dead.'));

/** Stores the first `kept` events of the append `at` without its `meta`, as a directory may, and dies. */
function partialStore(store: EventStore, { at, kept }: { readonly at: number; readonly kept: number }): EventStore {
  let count = 0;
  const part = (log: EventLog): EventLog => ({
    ...aroundLog(log),
    async append(events, options) {
      count += 1;
      if (count < at) return log.append(events, options);
      await log.append(events.slice(0, kept));
      throw new Crash(`Crashed within append ${count}.`);
    },
  });
  return {
    ...aroundAppends(store, (append) => append()),
    create: async (...args) => part(await store.create(...args)),
    remove: dead,
  };
}

/** Returns the methods of a log as fields. */
function aroundLog(log: EventLog): EventLog {
  return {
    id: log.id,
    atomicity: log.atomicity,
    epoch: log.epoch,
    snapshots: log.snapshots,
    head: () => log.head(),
    range: (from, to) => log.range(from, to),
    at: (seq) => log.at(seq),
    seqOf: (eventId) => log.seqOf(eventId),
    tail: (from, signal) => log.tail(from, signal),
    append: (events, options) => log.append(events, options),
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
}

test('an import whose process died after any event of any append can be done again, and nothing of it runs', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const lines = await bundleLines(root.path);
  const sizes = [lines.length - 2, 4];
  const crashes = sizes.flatMap((size, index) =>
    Array.from({ length: size + 1 }, (_, kept) => ({ at: index + 1, kept })),
  );
  for (const crash of crashes) {
    const store = memoryStore();
    const dying = Conversation.import(chunks(lines), { store: partialStore(store, crash) });
    await expect(dying, JSON.stringify(crash)).rejects.toThrow(Crash);
    const { agent, runs } = agentWith([finishing]);
    const opened = Conversation.open({ agent, store, id, workspace: root.path });
    await expect(opened, JSON.stringify(crash)).rejects.toMatchObject({ code: 'incomplete' });
    expect(await Conversation.import(chunks(lines), { store }), JSON.stringify(crash)).toMatchObject({ openCalls: 2 });
    await using conversation = await Conversation.open({ agent, store, id, workspace: root.path });
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
    expect(runs.size).toBe(0);
  }
});

const began = Date.UTC(2026, 0, 1);

/** Opens a store whose leases are an hour older or newer than those of another one. */
async function storeAt(kind: string, path: string, now: number): Promise<EventStore> {
  const options = { now: () => now, leaseMs: 60_000 };
  return kind === 'directory'
    ? directoryStore({ path: join(path, 'store'), ...options })
    : sqliteStore({ path: join(path, 'store.db'), ...options });
}

/** Calls `meanwhile` before the append `at`, as if the process had been stopped there. */
function stoppedStore(store: EventStore, at: number, meanwhile: () => Promise<void>): EventStore {
  let count = 0;
  return aroundAppends(store, async (append) => {
    count += 1;
    if (count === at) await meanwhile();
    return append();
  });
}

test.for(['directory', 'sqlite'].flatMap((kind) => [1, 2].map((at) => [kind, at] as const)))(
  'an import that was taken over does not remove what the other process did: %s, append %i',
  async ([kind, at]) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const workspace = root.path;
    const lines = await bundleLines(workspace);
    await using first = await storeAt(kind, workspace, began);
    await using later = await storeAt(kind, workspace, began + 3_600_000);
    const stopped = stoppedStore(first, at, async () => {
      await Conversation.import(chunks(lines), { store: later });
      await using theirs = await Conversation.open({
        agent: agentWith([finishing]).agent,
        store: later,
        id,
        workspace,
      });
      await theirs.send('Work of the other process.');
      await theirs.run();
    });
    await expect(Conversation.import(chunks(lines), { store: stopped })).rejects.toMatchObject({ code: 'fenced' });
    const texts = await Array.fromAsync((await later.read(id)).range(0), ({ text }) => text);
    expect(texts.filter((text) => text.includes('Work of the other process.'))).not.toEqual([]);
  },
);

test.for(['directory', 'sqlite'])(
  'a creation that was taken over does not remove what the other process did: %s',
  async (kind) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const workspace = root.path;
    await using first = await storeAt(kind, workspace, began);
    await using later = await storeAt(kind, workspace, began + 3_600_000);
    const work = async (): Promise<void> => {
      const { agent } = agentWith([finishing]);
      await using theirs = await Conversation.open({ agent, store: later, id, workspace });
      await theirs.send('Work of the other process.');
    };
    const created = Conversation.create({
      agent: agentWith([]).agent,
      store: stoppedStore(first, 1, work),
      workspace,
      id,
    });
    await expect(created).rejects.toMatchObject({ code: 'fenced' });
    expect((await later.summary(id)).head).toBeGreaterThan(0);
  },
);

test.for(['directory', 'sqlite'].flatMap((kind) => [2, 3].map((at) => [kind, at] as const)))(
  'a fork that was taken over is not removed: %s, append %i',
  async ([kind, at]) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const workspace = root.path;
    await using first = await storeAt(kind, workspace, began);
    await using later = await storeAt(kind, workspace, began + 3_600_000);
    {
      await using origin = await Conversation.create({ agent: agentWith([]).agent, store: first, workspace, id });
      await origin.send('Go.');
    }
    const work = async (): Promise<void> => {
      const { agent } = agentWith([]);
      await using theirs = await Conversation.open({ agent, store: later, id: forkId, workspace });
      await theirs.send('Work of the other process.');
    };
    const store = stoppedStore(first, at, work);
    await using origin = await Conversation.open({ agent: agentWith([]).agent, store, id, workspace });
    await expect(origin.fork({ id: forkId })).rejects.toMatchObject({ code: 'fenced' });
    expect((await later.summary(forkId)).head).toBeGreaterThan(0);
  },
);

/** Calls `meanwhile` once, when a log of a store is read first, as if the process had been stopped there. */
function stoppedReader(store: EventStore, meanwhile: () => Promise<void>): EventStore {
  let isStopped = false;
  const stopped = <Log extends LogReader>(log: Log): Log => ({
    ...log,
    ...aroundLog(log as never),
    async *range(from: number, to?: number) {
      if (!isStopped) {
        isStopped = true;
        await meanwhile();
      }
      yield* log.range(from, to);
    },
  });
  return {
    ...aroundAppends(store, (append) => append()),
    read: async (of) => stopped(await store.read(of)),
    open: async (of, options) => stopped(await store.open(of, options)),
    create: (...args) => store.create(...args),
  };
}

test.for(['directory', 'sqlite'].flatMap((kind) => [0, 3, 10].map((kept) => [kind, kept] as const)))(
  'two imports at a time do not remove the work of each other after one that died: %s, %i events',
  async ([kind, kept]) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const workspace = root.path;
    const lines = await bundleLines(workspace);
    {
      await using store = await storeAt(kind, workspace, began);
      const dying = Conversation.import(chunks(lines), { store: partialStore(store, { at: 1, kept }) });
      await expect(dying).rejects.toThrow(Crash);
    }
    await using first = await storeAt(kind, workspace, began);
    await using other = await storeAt(kind, workspace, began);
    const stopped = stoppedReader(first, async () => {
      await expect(Conversation.import(chunks(lines), { store: other })).rejects.toMatchObject({ code: 'held' });
    });
    expect(await Conversation.import(chunks(lines), { store: stopped })).toMatchObject({ openCalls: 2 });
    await expect(Conversation.import(chunks(lines), { store: other })).rejects.toMatchObject({ code: 'exists' });
  },
);

/** Calls `meanwhile` before each removal, and fails the append `at`. */
function removingStore(
  store: EventStore,
  { at, meanwhile }: { readonly at?: number; readonly meanwhile: () => Promise<unknown> },
): EventStore {
  let count = 0;
  const around = aroundAppends(store, async (append) => {
    count += 1;
    if (count === at) throw new StorageError('full', 'The disk is full.');
    return append();
  });
  return {
    ...around,
    async remove(...args) {
      await meanwhile();
      return store.remove(...args);
    },
  };
}

/** Leaves the rest of an import whose process died. */
async function leaveRest(lines: readonly string[], store: EventStore): Promise<void> {
  const dying = partialStore(store, { at: 2, kept: 1 });
  await expect(Conversation.import(chunks(lines), { store: dying })).rejects.toThrow(Crash);
}

const stores = ['memory', 'sqlite', 'directory'];

async function newStore(kind: string, path: string): Promise<EventStore> {
  return kind === 'memory' ? memoryStore() : storeAt(kind, path, began);
}

test.for(stores.flatMap((kind) => [1, 2, 3].map((at) => [kind, at] as const)))(
  'an import in a %s store that fails, or replaces an unfinished one, removes nothing of one that ends before its removal: %i',
  async ([kind, at]) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const lines = await bundleLines(root.path);
    await using store = await newStore(kind, root.path);
    const isFailing = at < 3;
    if (!isFailing) await leaveRest(lines, store);
    let rounds = 0;
    const meanwhile = async (): Promise<void> => {
      rounds += 1;
      await Conversation.import(chunks(lines), { store });
      await using conversation = await Conversation.open({
        agent: agentWith([finishing]).agent,
        store,
        id,
        workspace: root.path,
      });
      await conversation.send('Mine.');
    };
    const importing = Conversation.import(chunks(lines), {
      store: removingStore(store, { meanwhile, ...(isFailing && { at }) }),
    });
    await expect(importing).rejects.toMatchObject({ code: isFailing ? 'full' : 'exists' });
    await using conversation = await Conversation.open({ agent: agentWith([finishing]).agent, store, id });
    expect([rounds, conversation.state.status]).toEqual([1, 'idle']);
    expect(JSON.stringify(conversation.request().messages)).toContain('Mine.');
  },
);
