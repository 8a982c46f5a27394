import { mkdir, mkdtempDisposable, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { copyLog, exportBundle, repair } from '@varve/storage/maintenance';
import { sqliteStore } from '@varve/storage/sqlite';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm, neverConfirm } from '../src/confirmation/policies.ts';
import type { ConfirmationPolicy } from '../src/confirmation/confirmation-policy.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { repairConversation } from '../src/conversation/repair-conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'a'.repeat(32);
const { tool, runs } = countingTool();
const call = (...texts: readonly string[]): ScriptedTurn => ({
  calls: texts.map((text) => ({ name: 'record', arguments: { text } })),
});
const agentOf = (steps: readonly ScriptedTurn[], confirmation?: ConfirmationPolicy) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()], ...(confirmation && { confirmation }) });

/** Returns the log of a conversation that asks about every call, of which one ran, and that stops to ask then. */
async function used(workspace: string): Promise<EventStore> {
  const store = memoryStore();
  const agent = agentOf([call('first'), call('second', 'third')], alwaysConfirm());
  await using conversation = await Conversation.create({ agent, store, workspace, id });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.approve();
  await conversation.run();
  await conversation.approve();
  await conversation.setConfirmation(neverConfirm());
  return store;
}

/** Returns the log after it was imported elsewhere. */
async function imported(workspace: string): Promise<EventStore> {
  const [origin, store] = [await used(workspace), memoryStore()];
  await Conversation.import(exportBundle(await origin.read(id), await origin.summary(id)), { store });
  return store;
}

async function storeAt(kind: string, path: string): Promise<EventStore> {
  if (kind === 'memory') return memoryStore();
  return kind === 'sqlite'
    ? sqliteStore({ path: join(path, 'a.db'), durability: 'buffered' })
    : directoryStore({ path: join(path, 'logs'), durability: 'buffered' });
}

/** Expects that a conversation cannot be used. */
async function expectUnfinished(store: EventStore, workspace: string): Promise<void> {
  const { head } = await store.summary(id);
  const opened = Conversation.open({ agent: agentOf([]), store, id, workspace });
  await expect(opened).rejects.toMatchObject({
    code: 'incomplete',
    message: expect.stringContaining('repair it again'),
  });
  expect((await store.summary(id)).head).toBe(head);
}

/** Ends a log before an event; `again`: as if the process had died after the cut, and the repair been done again. */
async function repaired(store: EventStore, from: number, way: 'once' | 'again', workspace: string): Promise<void> {
  if (way === 'again') {
    await using dying = await store.open(id, { purpose: 'repair' });
    await repair(dying, { from });
  }
  if (way === 'again') await expectUnfinished(store, workspace);
  await using log = await store.open(id, { purpose: 'repair' });
  const summary = await store.summary(id);
  const { cut, isHistory } = await repairConversation(log, summary, way === 'again' ? {} : { from });
  expect(isHistory).toBe(true);
  expect(cut?.seq).toBe(way === 'again' ? undefined : from);
  const head = await log.head();
  expect(await repairConversation(log, summary)).toEqual({ resolved: [], accepted: [], isHistory: false });
  expect(await log.head()).toBe(head);
  expect((await verify(log)).broken).toBeUndefined();
}

const origins = { used, imported } as const;
const cases = [
  ['memory', 'used', 'once'],
  ['memory', 'imported', 'once'],
  ['sqlite', 'used', 'again'],
  ['directory', 'imported', 'again'],
] as const;

test.for(cases)('a log that a repair ends before any event runs and sets nothing: %s, %s, %s', async (parameters) => {
  const [kind, name, way] = parameters;
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const workspace = await realpath(root.path);
  const theirs = join(workspace, 'theirs');
  await mkdir(theirs);
  const origin = await origins[name](theirs);
  const { head, meta } = await origin.summary(id);
  const before = [...runs];
  for (let from = 0; from < head; from += 1) {
    await using store = await storeAt(kind, join(workspace, String(from)));
    await copyLog(await origin.read(id), store, { meta });
    await repaired(store, from, way, workspace);
    await expect(Conversation.open({ agent: agentOf([]), store, id })).rejects.toThrow('has no stored workspace');
    const agent = agentOf([call('mine')], alwaysConfirm());
    await using conversation = await Conversation.open({ agent, store, id, workspace });
    expect(conversation.state.pending).toEqual([]);
    await conversation.send('Continue.');
    expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
    expect(conversation.state.pending.map(({ event }) => event.tool_call.arguments)).toEqual(['{"text":"mine"}']);
  }
  expect([...runs]).toEqual(before);
});
