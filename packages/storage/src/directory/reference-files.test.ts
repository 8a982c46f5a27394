import { mkdtempDisposable, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@varve/events';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { agentEvent } from '../../test/agent-event.ts';
import { newEvent } from '../testing/events.ts';

const id = '0123456789abcdef0123456789abcdef';
const model = { kind: 'retry', model: { kind: 'openai-chat', model: 'gpt-4o', baseUrl: 'http://127.0.0.1:1/v1' } };
const policy = { threshold: 'HIGH', confirm_unknown: true, kind: 'ConfirmRisky' };
const agent = { model, confirmation_policy: policy, budget: { maxIterations: 60 }, kind: 'Agent' };
const meta = { status: 'idle', workspace: '/srv/w', agent };

async function conversation(first: Json = meta, name = id) {
  const root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  let time = 1_750_000_000_000;
  const open = async () => directoryStore({ path: root.path, now: () => (time += 1000) });
  const store = await open();
  const log = await store.create(name, first);
  const path = (file: string): string => join(root.path, name, file);
  const read = async (file: string) => JSON.parse(await readFile(path(file), 'utf8'));
  const text = async (file: string) => (await readFile(path(file), 'utf8')).replaceAll(root.path, '/srv/root');
  const dispose = async () => {
    await store[Symbol.asyncDispose]();
    await root[Symbol.asyncDispose]();
  };
  return { open, store, log, path, read, text, [Symbol.asyncDispose]: dispose };
}

test('the files for the reference match its own format', async () => {
  await using files = await conversation();
  await files.log.append([agentEvent(0)], { meta: { ...meta, title: 'Fix it', status: 'running' } });
  await expect(await files.text('base_state.json')).toMatchFileSnapshot('golden/base_state.json');
  await expect(await files.text('meta.json')).toMatchFileSnapshot('golden/meta.json');
});

test('the state follows the log when `meta` changes and when the log is closed, not with every append', async () => {
  await using files = await conversation();
  const leaf = async (): Promise<unknown> => (await files.read('base_state.json')).leaf_event_id;
  expect(await leaf()).toBeUndefined();
  await files.log.append([agentEvent(0)]);
  expect(await leaf()).toBeUndefined();
  await files.log.append([agentEvent(1)], { meta: { ...meta, status: 'running' } });
  expect(await leaf()).toBe(agentEvent(1).id);
  await files.log.append([agentEvent(2), agentEvent(3, { kind: 'ConversationStateUpdateEvent' })]);
  expect(await leaf()).toBe(agentEvent(1).id);
  const { updatedAt } = await files.store.summary(id);
  await files.log[Symbol.asyncDispose]();
  expect(await files.read('base_state.json')).toMatchObject({
    leaf_event_id: agentEvent(2).id,
    last_user_message_id: agentEvent(2).id,
    execution_status: 'running',
    head_is_empty: false,
  });
  expect((await files.store.summary(id)).updatedAt).toBe(updatedAt);
  expect(await files.read('meta.json')).toMatchObject({
    updated_at: new Date(updatedAt).toISOString().replace('Z', '000Z'),
  });
});

test('opening and closing a log without appends changes no files', async () => {
  await using files = await conversation();
  await files.log.append([agentEvent(0)]);
  await files.log[Symbol.asyncDispose]();
  const before = [await files.text('base_state.json'), await files.text('meta.json')];
  await (await files.store.open(id))[Symbol.asyncDispose]();
  expect([await files.text('base_state.json'), await files.text('meta.json')]).toEqual(before);
});

test('after a crash the leaf is found in the log', async () => {
  await using files = await conversation();
  const state = agentEvent(1, { kind: 'ConversationStateUpdateEvent' });
  await files.log.append([agentEvent(0), state]);
  await files.log[Symbol.asyncDispose]();
  const broken = (await files.text('base_state.json')).slice(0, 40);
  await writeFile(files.path('base_state.json'), broken);
  const log = await files.store.open(id);
  await log.append([], { meta: { ...meta, status: 'finished' } });
  expect(await files.read('base_state.json')).toMatchObject({
    leaf_event_id: agentEvent(0).id,
    execution_status: 'finished',
    max_iterations: 60,
  });
});

test('changes by the reference are in the summary and survive later appends', async () => {
  await using files = await conversation({ ...meta, title: 'Ours' });
  await files.log.append([agentEvent(0)]);
  await files.log[Symbol.asyncDispose]();
  const state = await files.read('base_state.json');
  const llm = { model: 'other/model', api_key: 'gAAAAA-token', num_retries: 5 };
  const theirs = {
    ...state,
    agent: { ...state.agent, llm },
    execution_status: 'finished',
    tags: { a: 'b' },
    new_field: 1,
  };
  await writeFile(files.path('base_state.json'), JSON.stringify(theirs));
  await writeFile(files.path('meta.json'), JSON.stringify({ ...(await files.read('meta.json')), title: 'Theirs' }));
  expect((await files.store.summary(id)).meta).toEqual({ ...meta, title: 'Theirs', status: 'finished' });
  const log = await files.store.open(id);
  await log.append([agentEvent(1)]);
  await log[Symbol.asyncDispose]();
  expect(await files.read('base_state.json')).toEqual({
    ...theirs,
    leaf_event_id: agentEvent(1).id,
    last_user_message_id: agentEvent(1).id,
  });
  expect((await files.store.summary(id)).meta).toEqual({ ...meta, title: 'Theirs', status: 'finished' });
  const again = await files.store.open(id);
  await again.append([], { meta: { ...meta, workspace: '/srv/moved', agent: { ...agent, model: { name: 'm' } } } });
  const { agent: kept, workspace, tags } = await files.read('base_state.json');
  expect([kept.llm, workspace.working_dir, tags]).toEqual([llm, '/srv/moved', { a: 'b' }]);
});

test('the summary of a conversation of the reference has its agent without keys, and its confirmation policy', async () => {
  await using files = await conversation();
  await files.log[Symbol.asyncDispose]();
  const state = await files.read('base_state.json');
  const theirs = {
    ...state,
    agent: { ...state.agent, kind: 'ACPAgent', llm: { ...state.agent.llm, api_key: 'gAAAAABsecret' } },
    security_analyzer: { kind: 'LLMSecurityAnalyzer' },
  };
  await writeFile(files.path('base_state.json'), JSON.stringify(theirs));
  await rm(files.path('.varve/meta.json'));
  expect((await files.store.summary(id)).meta).toEqual({
    agent: { ...theirs.agent, llm: { ...theirs.agent.llm, api_key: null } },
    confirmation_policy: policy,
    security_analyzer: { kind: 'LLMSecurityAnalyzer' },
    status: 'idle',
    workspace: '/srv/w',
  });
});

test('an agent written by this package is rewritten when it changes', async () => {
  await using files = await conversation();
  await files.log.append([], { meta: { ...meta, agent: { model: { kind: 'scripted', name: 'm' } } } });
  const state = await files.read('base_state.json');
  expect([state.agent.llm, state.confirmation_policy]).toEqual([
    { model: 'm', usage_id: 'agent' },
    { kind: 'NeverConfirm' },
  ]);
});

test('an unknown policy becomes AlwaysConfirm, and an unknown status is left out', async () => {
  const strange = { ...meta, status: 'dreaming', agent: { ...agent, confirmation_policy: { kind: 'Mine' } } };
  await using files = await conversation(strange);
  const state = await files.read('base_state.json');
  expect([state.confirmation_policy, state.execution_status]).toEqual([{ kind: 'AlwaysConfirm' }, 'idle']);
  expect((await files.store.summary(id)).meta).toEqual(strange);
});

test.for([
  ['an id that is no UUID', meta, 'c'],
  ['a meta that names no workspace', { title: 'x' }, id],
  ['a meta that is no object', 'x', id],
] as const)('%s creates no files for the reference', async ([, first, name]) => {
  await using files = await conversation(first, name);
  await files.log.append([newEvent('a')], { meta: first });
  await files.log[Symbol.asyncDispose]();
  expect((await readdir(files.path('.'))).toSorted()).toEqual(['.varve', 'events']);
  expect((await files.store.summary(name)).meta).toEqual(first);
});

test('an id that is a UUID with hyphens is accepted', async () => {
  const uuid = '01234567-89ab-cdef-0123-456789abcdef';
  await using files = await conversation(meta, uuid);
  expect([(await files.read('base_state.json')).id, (await files.read('meta.json')).id]).toEqual([uuid, id]);
});
