import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ScriptedTurn } from '@varve/llm/testing';
import { agentProfiles, modelProfiles } from '@varve/settings/profiles';
import { ActionEvent, Condensation, ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationInfo } from '../../reference/info/conversation-info.ts';
import { message, runningServer } from '../../../test/support/running-server.ts';

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const command = (text: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });
const unknown = '/00000000-0000-0000-0000-000000000000';

test('a fork has the events, the configuration and the keys of its origin, and its own title and tags', async () => {
  await using running = await runningServer([finish, finish]);
  const origin = await running.create({ initial_message: message('One.'), tags: { a: 'b' } });
  await running.status(origin.id, ['finished']);
  const fork = await running.json<ConversationInfo>(201, 'POST', `/${origin.id}/fork`, {
    title: 'Copy',
    tags: { c: 'd' },
  });
  expect(fork).toMatchObject({
    execution_status: 'idle',
    title: 'Copy',
    tags: { c: 'd', title: 'Copy' },
    forked_from_conversation_id: origin.id,
    agent: { llm: { model: 'openai/scripted' } },
  });
  const idsOf = async (id: string) =>
    (await running.events(id)).filter((event) => MessageEvent.is(event)).map((event) => event.id);
  expect(await idsOf(fork.id)).toEqual(await idsOf(origin.id));
  await running.json(200, 'POST', `/${fork.id}/events`, message('Two.', true));
  await running.status(fork.id, ['finished'], 2);
  expect(running.model.requests[1]?.headers['authorization']).toBe('Bearer sk-of-the-test');
  // An absent body is allowed.
  await running.json(201, 'POST', `/${origin.id}/fork`);
  await running.json(409, 'POST', `/${origin.id}/fork`, { id: fork.id });
  await running.json(404, 'POST', `/${origin.id}/fork`, { from_event_id: 'nope' });
  expect((await running.send('POST', `${unknown}/fork`)).status).toBe(404);
});

test('navigation moves the last event; a run continues from there', async () => {
  await using running = await runningServer([finish, finish]);
  const { id } = await running.create({ initial_message: message('One.') });
  await running.status(id, ['finished']);
  const first = (await running.events(id)).find((event) => MessageEvent.is(event));
  const plan = { event_id: first?.id, scope: 'both', dry_run: true };
  expect(await running.json(200, 'POST', `/${id}/navigate`, plan)).toEqual({ steps: [], gaps: [] });
  expect(await running.json(200, 'GET', `/${id}`)).not.toMatchObject({ leaf_event_id: first?.id });
  const moved = await running.json<ConversationInfo>(200, 'POST', `/${id}/navigate`, { event_id: first?.id });
  expect(moved).toMatchObject({ leaf_event_id: first?.id, execution_status: 'idle' });
  await running.json(200, 'POST', `/${id}/navigate`, { event_id: null });
  await running.json(200, 'POST', `/${id}/events`, message('Another beginning.', true));
  await running.status(id, ['finished'], 2);
  expect(running.model.requests[1]?.text).not.toContain('One.');
  expect(await running.json(404, 'POST', `/${id}/navigate`, { event_id: 'nope' })).toEqual({
    detail: 'Unknown event_id: nope',
  });
  await running.json(422, 'POST', `/${id}/navigate`);
  await running.json(200, 'POST', `/${id}/navigate`, { event_id: null, scope: 'files' });
  await running.json(422, 'POST', `/${id}/navigate`, { event_id: null, scope: 'other' });
});

test('a side question is answered and not stored; a failure of the model is reported without keys', async () => {
  await using running = await runningServer([
    { text: 'Forty-two.' },
    { error: { code: 'unauthenticated', message: 'The key sk-of-the-test is wrong.' } },
  ]);
  const { id } = await running.create();
  await running.json(200, 'POST', `/${id}/events`, message('Hello.'));
  expect(await running.json(200, 'POST', `/${id}/ask_agent`, { question: 'What?' })).toEqual({
    response: 'Forty-two.',
  });
  expect((await running.events(id)).filter((event) => MessageEvent.is(event))).toHaveLength(1);
  const failed = await running.json(500, 'POST', `/${id}/ask_agent`, { question: 'What?' });
  expect(failed['detail']).toBe('Internal Server Error');
  expect(JSON.stringify(failed)).not.toContain('sk-of-the-test');
  expect((await running.send('POST', `${unknown}/ask_agent`, { question: 'x' })).status).toBe(404);
});

test('a conversation is condensed on demand', async () => {
  await using running = await runningServer([command('true'), command('true'), finish]);
  const { id } = await running.create({ initial_message: message('One.') });
  await running.status(id, ['finished']);
  await running.json(200, 'POST', `/${id}/condense`);
  expect((await running.events(id)).some((event) => Condensation.is(event))).toBe(true);
});

test('a policy that is set later decides, and is kept when the conversation is opened again', async () => {
  await using running = await runningServer([command('echo a'), finish]);
  const { id } = await running.create();
  await running.json(200, 'POST', `/${id}/confirmation_policy`, {
    policy: { kind: 'ConfirmRisky', threshold: 'LOW', confirm_unknown: true },
  });
  await running.json(200, 'POST', `/${id}/security_analyzer`, {
    security_analyzer: { kind: 'PatternSecurityAnalyzer' },
  });
  await running.send('POST', '/prepare-for-sandbox-pause');
  expect(await running.json(200, 'GET', `/${id}`)).toMatchObject({
    confirmation_policy: { kind: 'ConfirmRisky', threshold: 'LOW' },
    security_analyzer: { kind: 'PatternSecurityAnalyzer' },
  });
  await running.json(200, 'POST', `/${id}/events`, message('Go.', true));
  await running.status(id, ['waiting_for_confirmation']);
  await running.json(422, 'POST', `/${id}/confirmation_policy`, { policy: { kind: 'Nope' } });
  await running.json(422, 'POST', `/${id}/security_analyzer`, {});
  await running.json(200, 'POST', `/${id}/security_analyzer`, { security_analyzer: null });
  expect((await running.json<ConversationInfo>(200, 'GET', `/${id}`)).security_analyzer).toBeNull();
});

test('secrets that are added later reach commands that name them, and are masked', async () => {
  await using running = await runningServer([command('echo "$LATE_TOKEN"'), finish]);
  const { id } = await running.create();
  await running.json(200, 'POST', `/${id}/secrets`, {
    secrets: { LATE_TOKEN: 'late-0123456789', OTHER: { value: 'other-0123456789' } },
  });
  const info = await running.json<ConversationInfo>(200, 'GET', `/${id}`);
  expect(Object.keys(info.secret_registry.secret_sources)).toEqual(['LATE_TOKEN', 'OTHER']);
  await running.json(200, 'POST', `/${id}/events`, message('Print late-0123456789.', true));
  await running.status(id, ['finished']);
  const text = JSON.stringify(await running.events(id));
  expect(text).not.toContain('0123456789"');
  expect(text).not.toMatch(/(late|other)-0123456789/);
  expect(text.split('<secret-hidden>').length).toBeGreaterThan(2);
  await running.json(422, 'POST', `/${id}/secrets`, { secrets: { A: 5 } });
});

test('another model is used from the next step on; a usage id keeps its first model', async () => {
  await using running = await runningServer([finish]);
  await using other = await runningServer([finish, finish]);
  const { id } = await running.create({ initial_message: message('One.') });
  await running.status(id, ['finished']);
  const llm = { model: 'openai/other', base_url: other.model.url, api_key: 'sk-of-the-other', usage_id: 'second' };
  await running.json(200, 'POST', `/${id}/switch_llm`, { llm });
  expect((await running.json<ConversationInfo>(200, 'GET', `/${id}`)).agent.llm.model).toBe('openai/other');
  await running.json(200, 'POST', `/${id}/events`, message('Two.', true));
  await running.status(id, ['finished'], 2);
  expect(other.model.requests[0]?.headers['authorization']).toBe('Bearer sk-of-the-other');
  await running.json(200, 'POST', `/${id}/switch_llm`, { llm: { ...llm, model: 'openai/third' } });
  expect((await running.json<ConversationInfo>(200, 'GET', `/${id}`)).agent.llm.model).toBe('openai/other');
  await running.send('POST', '/prepare-for-sandbox-pause');
  await running.json(200, 'POST', `/${id}/events`, message('Three.', true));
  await running.status(id, ['finished'], 3);
  expect(other.model.requests[1]?.headers['authorization']).toBe('Bearer sk-of-the-other');
  await running.json(404, 'POST', `/${id}/switch_profile`, { profile_name: 'nope' });
  await running.json(400, 'POST', `/${id}/switch_profile`, { profile_name: '__x' });
  await running.json(400, 'POST', `/${id}/switch_acp_model`, { model: 'x' });
  await running.json(404, 'POST', `/${id}/load_plugin`, { plugin_ref: 'x' });
});

test('a goal runs until the judge accepts it, and refuses what cannot be done', async () => {
  const judged: ScriptedTurn = { text: '{"score": 1, "complete": true, "missing": ""}' };
  await using running = await runningServer([finish, judged]);
  const { id } = await running.create();
  await running.json(400, 'POST', `/${id}/goal`, { objective: ' ' });
  await running.json(422, 'POST', `/${id}/goal`, { objective: 'x', max_iterations: 0 });
  expect(await running.json(400, 'POST', `/${id}/goal/resume`)).toEqual({ detail: 'no_resumable_goal' });
  await running.json(200, 'POST', `/${id}/goal/stop`);
  await running.json(200, 'POST', `/${id}/goal`, { objective: 'Make it green.' });
  await running.update(id, 'goal', (value) => (value as { readonly status: string }).status === 'complete');
  expect((await running.send('POST', `${unknown}/goal`, { objective: 'x' })).status).toBe(404);
});

test('a call of a client tool is stored and answered immediately', async () => {
  const client_tools = [{ name: 'show', description: 'Shows.', parameters: { type: 'object', properties: {} } }];
  await using running = await runningServer([{ calls: [{ name: 'show', arguments: {} }] }, finish]);
  const { id } = await running.create({ client_tools, initial_message: message('Show.') });
  await running.status(id, ['finished']);
  const events = await running.events(id);
  expect(events.find((event) => ActionEvent.is(event))).toMatchObject({ action: { kind: 'ClientAction_show' } });
  expect(events.some((event) => ConversationStateUpdateEvent.is(event))).toBe(true);
  expect((await running.json<ConversationInfo>(200, 'GET', `/${id}`)).client_tools).toMatchObject([{ name: 'show' }]);
});

test('an agent comes from a profile, and a model too', async () => {
  const home = mkdtempSync(join(tmpdir(), 'varve-home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  await using running = await runningServer([finish, finish], {
    home,
    env: { PATH: process.env['PATH'], A_KEY: 'sk-of-a' },
  });
  const llm = { model: 'openai/scripted', base_url: running.model.url, api_key_ref: 'env:A_KEY', num_retries: 1 };
  await modelProfiles(home).save('local', llm);
  const agents = agentProfiles(home, () => '00000000-0000-0000-0000-00000000000a');
  await agents.save({ name: 'mine', agent_kind: 'openhands', llm_profile_ref: 'local' });
  const agent_profile_id = '00000000-0000-0000-0000-00000000000a';
  const info = await running.create({ agent: null, agent_profile_id, initial_message: message('One.') });
  expect(info.launched_agent_profile).toEqual({ agent_profile_id, revision: expect.any(Number) });
  await running.status(info.id, ['finished']);
  const other = await running.create();
  await running.json(200, 'POST', `/${other.id}/switch_profile`, { profile_name: 'local' });
  await running.json(200, 'POST', `/${other.id}/events`, message('Two.', true));
  await running.status(other.id, ['finished']);
  for (const { headers } of running.model.requests) expect(headers['authorization']).toBe('Bearer sk-of-a');
});

test('tools of servers and skills of a client are offered, again after a restart, and their secrets are not shown', async () => {
  const script = fileURLToPath(new URL('../../../../tools/test/support/mcp-server.ts', import.meta.url));
  const args = ['--conditions=@varve/source', script];
  const mcp_config = { docs: { command: process.execPath, args, env: { A_TOKEN: 'token-0123456789' } } };
  const skill = { name: 'deploy', content: 'Deploy with care.', trigger: { type: 'keyword', keywords: ['deploy'] } };
  await using running = await runningServer([finish, finish]);
  const llm = { model: 'openai/scripted', base_url: running.model.url, num_retries: 0 };
  const agent = { llm, tools: [], mcp_config, agent_context: { skills: [skill] } };
  const info = await running.create({ agent, initial_message: message('Please deploy.') });
  await running.status(info.id, ['finished']);
  expect(JSON.stringify(info)).not.toContain('token-0123456789');
  await running.send('POST', '/prepare-for-sandbox-pause');
  await running.json(200, 'POST', `/${info.id}/events`, message('Again.', true));
  await running.status(info.id, ['finished'], 2);
  for (const { request } of running.model.requests) {
    expect(request?.tools.map(({ name }) => name)).toContain('mcp__docs__echo');
  }
  expect(running.model.requests[0]?.text).toContain('Deploy with care.');
  const after = await running.json<ConversationInfo>(200, 'GET', `/${info.id}`);
  expect(after.activated_knowledge_skills).toEqual(['deploy']);
  expect(JSON.stringify(await running.events(info.id))).not.toContain('token-0123456789');
});
