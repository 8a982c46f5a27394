import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { Json } from '@varve/events';
import { Conversation } from '@varve/agent';
import { exportBundle } from '@varve/storage/maintenance';
import { expect, test } from 'vitest';
import { message, runningServer, type RunningServer } from '../testing/running-server.ts';

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
