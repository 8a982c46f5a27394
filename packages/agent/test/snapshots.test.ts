import assert from 'node:assert/strict';
import { mkdtempDisposable, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { eventCodec, type Stamp } from '@varve/events';
import { approvalFact, defineFact } from '@varve/events/facts';
import { builtinKinds } from '@varve/events/kinds';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore, type EventStore, type LogReader, type Stored, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { conversationTimeline } from '../src/log/conversation-state.ts';
import { logVerifier, readSettings } from '../src/replay/verify-meta.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { verified } from './verified.ts';

const id = 'a'.repeat(32);
const workspace = process.cwd();
const codec = eventCodec(builtinKinds);
const ticket = defineFact('varve.acme.ticket', () => z.strictObject({ number: z.number().int() }));

/** Stores a conversation that waits for an approval, with a snapshot of its log. */
async function addWaiting(store: EventStore): Promise<void> {
  const agent = defineAgent({
    model: scriptedModel([{ calls: [{ name: 'record', arguments: { text: 'a' } }] }]),
    tools: () => [countingTool().tool()],
    confirmation: alwaysConfirm(),
  });
  await using conversation = await Conversation.create({ agent, store, workspace, id });
  for (let count = 0; count < 110; count++) await conversation.send(`Message ${count}.`);
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
}

/** Returns a snapshot, with a valid checksum, of a log that differs in one event. */
async function forgedSnapshot(log: LogReader, change: (event: Stored, head: number) => string): Promise<string> {
  const timeline = conversationTimeline(codec);
  const entries = await Array.fromAsync(log.range(0));
  const changed = entries.map((event) => ({ ...event, text: change(event, entries.length) }));
  expect(changed).not.toEqual(entries);
  await timeline.load((from) => changed.slice(from));
  return JSON.stringify(timeline.snapshot());
}

/** Returns an approval of the waiting call, in place of the last event. */
async function approvalOf(log: LogReader): Promise<(event: Stored, head: number) => string> {
  const entries = await Array.fromAsync(log.range(0));
  const action = entries.find(({ kind }) => kind === 'ActionEvent');
  const value = { action_id: action?.id ?? '', digest: 'd'.repeat(64), by: 'user', at: 0 };
  return (event, head) => {
    if (event.seq !== head - 1) return event.text;
    const { timestamp } = codec.read(event.text);
    const parent = event.parentId === undefined ? {} : { parent_id: event.parentId };
    return codec.encode(approvalFact.create(value, { id: event.id, timestamp, ...parent }));
  };
}

type Forge = (log: LogReader) => Promise<(event: Stored, head: number) => string>;

const replacing =
  (from: string, to: string): Forge =>
  async () =>
  ({ text }) =>
    text.replaceAll(from, to);

const forgeries: readonly (readonly [string, Forge])[] = [
  ['policy', replacing('AlwaysConfirm', 'NeverConfirm')],
  ['workspace', replacing(JSON.stringify(workspace), '"/etc"')],
  ['approval', approvalOf],
  ['message', replacing('Message 7.', 'Message 8.')],
];

const stateIn = async (log: LogReader) => (await verified(log)).snapshots.map(({ state }) => state);

/** Opens a store in a directory, and replaces the text of its only snapshot as another program does. */
const places: Readonly<
  Record<string, (root: string) => { store: Promise<EventStore>; replace: (text: string) => Promise<void> }>
> = {
  SQLite(root) {
    const path = join(root, 'store.db');
    return {
      store: sqliteStore({ path }),
      replace: async (text) => {
        using database = new DatabaseSync(path);
        expect(database.prepare('UPDATE snapshot SET state = ?').run(text).changes).toBe(1);
      },
    };
  },
  directory(root) {
    const snapshots = join(root, id, '.varve', 'snapshots');
    return {
      store: directoryStore({ path: root }),
      replace: async (text) => {
        const [name = '', ...others] = await readdir(snapshots);
        expect(others).toEqual([]);
        await writeFile(join(snapshots, name), text);
      },
    };
  },
};

for (const [place, openPlace] of Object.entries(places)) {
  test.for(forgeries)(`${place}: verify finds a snapshot with another %s`, async ([, forge]) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const { store: opened, replace } = openPlace(root.path);
    await using store = await opened;
    await addWaiting(store);
    const log = await store.read(id);
    expect(await stateIn(log)).toEqual(['same']);
    await replace(await forgedSnapshot(log, await forge(log)));
    expect((await verify(await store.read(id))).broken).toBeUndefined();
    expect(await stateIn(await store.read(id))).toEqual(['differs']);
  });

  test(`${place}: a snapshot that is not JSON is ignored`, async () => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const { store: opened, replace } = openPlace(root.path);
    await using store = await opened;
    await addWaiting(store);
    await replace('{"next":');
    expect(await stateIn(await store.read(id))).toEqual(['unused']);
    const agent = defineAgent({ model: scriptedModel([]), tools: () => [countingTool().tool()] });
    await using conversation = await Conversation.open({ agent, store, id });
    expect(conversation.state.pending).toHaveLength(1);
  });
}

test('a snapshot of more events than the log has differs, and one of fewer is compared at its own end', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using store = await directoryStore({ path: root.path });
  await addWaiting(store);
  const snapshots = join(root.path, id, '.varve', 'snapshots');
  const [name = ''] = await readdir(snapshots);
  await rename(join(snapshots, name), join(snapshots, 'conversation-900.json'));
  expect((await verified(await store.read(id))).snapshots).toMatchObject([{ seq: 900, state: 'same' }]);
  const text = await readFile(join(snapshots, 'conversation-900.json'), 'utf8');
  await using other = memoryStore();
  await using log = await other.create(id, {});
  await log.snapshots.save('conversation', { seq: 1, state: JSON.parse(text) });
  expect(await stateIn(log)).toEqual(['differs']);
});

function unreadable(): never {
  assert.fail('The log was read again.');
}

test('one pass over the events verifies requests, snapshots and settings', async () => {
  await using store = memoryStore();
  await addWaiting(store);
  const log = await store.read(id);
  const { meta } = await store.summary(id);
  const verifier = await logVerifier({ ...log, range: unreadable, at: unreadable });
  const requests = [];
  for await (const event of log.range(0)) requests.push(await verifier.add(event));
  expect(requests.filter((request) => request !== undefined)).toMatchObject([{ messages: 'same', tools: 'same' }]);
  const changed = { ...Object(meta), workspace: '/etc' };
  expect(verifier.end(changed)).toMatchObject({
    snapshots: [{ name: 'conversation', state: 'same' }],
    settings: [{ setting: 'workspace' }],
  });
});

test('a long conversation has a snapshot before it is closed, made while the model generates a reply', async () => {
  await using store = memoryStore();
  const scripted = scriptedModel([{ text: 'Done.' }]);
  const verdicts: unknown[] = [];
  const agent = defineAgent({
    model: {
      ...scripted,
      async generate(request, options) {
        const log = await store.read(id);
        while (verdicts.length === 0) {
          await setImmediate();
          verdicts.push(...(await verified(log)).snapshots.map(({ seq, state }) => [seq, state]));
        }
        expect(verdicts).toEqual([[await log.head(), 'same']]);
        return scripted.generate(request, options);
      },
    },
    tools: () => [],
  });
  await using conversation = await Conversation.create({ agent, store, workspace, id });
  await conversation.send('Go.');
  const tickets = Array.from({ length: 1000 }, (_, number) => (stamp: Stamp) => ticket.create({ number }, stamp));
  await conversation.record(...tickets);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('settings are read from a snapshot and the events after it', async () => {
  await using store = memoryStore();
  await addWaiting(store);
  const log = await store.read(id);
  const { meta } = await store.summary(id);
  const starts: number[] = [];
  const counting: LogReader = {
    ...log,
    range(from, to) {
      starts.push(from);
      return log.range(from, to);
    },
  };
  const settings = await readSettings(counting, meta);
  expect(starts).toEqual([(await log.head()) - 1]);
  const { proof: _, ...withoutSnapshots } = log;
  expect(settings).toEqual(await readSettings(withoutSnapshots, meta));
});
