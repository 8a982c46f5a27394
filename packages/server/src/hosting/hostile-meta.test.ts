import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import type { Json } from '@varve/events';
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { finish } from '@varve/tools';
import { exportBundle, importBundle } from '@varve/storage/maintenance';
import { expect, test } from 'vitest';
import { message, runningServer, type RunningServer } from '../../test/support/running-server.ts';

const call = { calls: [{ name: 'terminal', arguments: { command: 'true' } }] };
const never = { kind: 'NeverConfirm' };
const analyzer = { kind: 'LLMSecurityAnalyzer' };

type Fields = { readonly [name: string]: Json };

/** Changes that a program could make to what is stored next to a log. */
const edits: readonly (readonly [string, (meta: Fields) => Json])[] = [
  [
    'the policy of the agent',
    (meta) => ({ ...meta, agent: { ...(meta['agent'] as Fields), confirmation_policy: never } }),
  ],
  ['a policy next to the agent', (meta) => ({ ...meta, confirmation_policy: never, security_analyzer: null })],
  ['no agent', ({ agent: _agent, ...meta }) => meta],
  ['no fields', () => ({})],
  ['no object', () => null],
  ['another workspace', (meta) => ({ ...meta, workspace: '/etc' })],
  [
    'the workspace of the reference',
    (meta) => ({ ...meta, workspace: { working_dir: '/etc', kind: 'LocalWorkspace' } }),
  ],
  ['all of them', () => ({ workspace: '/', agent: { confirmation_policy: never }, confirmation_policy: never })],
];

/** Releases a conversation and replaces what is stored next to its log. */
async function edit(running: RunningServer, id: string, change: (meta: Fields) => Json): Promise<void> {
  const { store } = running;
  expect((await running.send('POST', '/prepare-for-sandbox-pause')).status).toBe(204);
  const hex = id.replaceAll('-', '');
  const { meta } = await store.summary(hex);
  await using log = await store.open(hex);
  await log.append([], { meta: change(meta as Fields) });
}

test.for(edits)('a conversation keeps its policy and workspace: %s', async ([, change]) => {
  await using running = await runningServer([call]);
  const { id } = await running.create({ confirmation_policy: { kind: 'AlwaysConfirm' } });
  await edit(running, id, change);
  expect(await running.json(200, 'GET', `/${id}`)).toMatchObject({
    confirmation_policy: { kind: 'AlwaysConfirm' },
    workspace: { working_dir: running.workspace },
  });
  await running.json(200, 'POST', `/${id}/security_analyzer`, { security_analyzer: analyzer });
  const updates = (await running.events(id)).filter((event) => ConversationStateUpdateEvent.is(event));
  const policies = updates.filter(({ key }) => key === 'confirmation_policy').map(({ value }) => value);
  expect(policies.every((value) => (value as Fields)['kind'] === 'AlwaysConfirm')).toBe(true);
  await running.json(200, 'POST', `/${id}/events`, message('Go.', true));
  await running.status(id, ['waiting_for_confirmation']);
});

test('nothing of the configuration in an imported log applies', async () => {
  await using origin = await runningServer([]);
  const { id } = await origin.create({ tags: { team: 'a' }, confirmation_policy: { kind: 'ConfirmRisky' } });
  await origin.json(200, 'POST', `/${id}/security_analyzer`, { security_analyzer: analyzer });
  const hex = id.replaceAll('-', '');
  await using target = await runningServer([]);
  const chunks = exportBundle(await origin.store.read(hex), await origin.store.summary(hex));
  await Conversation.import(chunks, { store: target.store });
  expect(await target.json(200, 'GET', `/${id}`)).toMatchObject({
    confirmation_policy: never,
    security_analyzer: null,
    tags: {},
    workspace: { working_dir: '' },
  });
});

test('nothing of the configuration in a log whose import has not ended applies, and its workspace is not served', async () => {
  await using origin = await runningServer([]);
  writeFileSync(join(origin.workspace, 'private.txt'), 'private');
  const { id } = await origin.create({ tags: { team: 'a' }, confirmation_policy: { kind: 'ConfirmRisky' } });
  const hex = id.replaceAll('-', '');
  await using target = await runningServer([]);
  const chunks = exportBundle(await origin.store.read(hex), await origin.store.summary(hex));
  // As a process leaves it that dies before the boundary.
  await importBundle(chunks, target.store, { meta: () => ({ status: 'idle', importing: 'an-import' }) });
  expect(await target.json(200, 'GET', `/${id}`)).toMatchObject({
    confirmation_policy: never,
    tags: {},
    workspace: { working_dir: '' },
    agent: expect.not.objectContaining({ llm: expect.objectContaining({ base_url: origin.model.url }) as unknown }),
  });
  expect((await origin.send('GET', `/${id}/workspace/private.txt`)).status).toBe(200);
  expect((await target.send('GET', `/${id}/workspace/private.txt`)).status).toBe(400);
});

test('nothing of the configuration in an imported log applies to a fork from before the import', async () => {
  await using origin = await runningServer([]);
  const { id } = await origin.create({ tags: { team: 'team-of-the-bundle' } });
  await origin.json(200, 'POST', `/${id}/events`, message('Theirs.', false));
  const [event_id] = (await origin.events(id)).filter((event) => MessageEvent.is(event)).map((event) => event.id);
  const hex = id.replaceAll('-', '');
  await using target = await runningServer([]);
  const { store, workspace } = target;
  await Conversation.import(exportBundle(await origin.store.read(hex), await origin.store.summary(hex)), { store });
  const agent = defineAgent({ model: scriptedModel([]), tools: () => [finish()] });
  await using mine = await Conversation.open({ agent, store, id: hex, workspace, missingTools: 'accept' });
  await using fork = await mine.fork({ ...(event_id !== undefined && { at: event_id }) });
  const info = await target.json(200, 'GET', `/${fork.id}`);
  expect(JSON.stringify(info)).not.toContain('team-of-the-bundle');
  expect(info).toMatchObject({
    tags: {},
    workspace: { working_dir: workspace },
  });
});
