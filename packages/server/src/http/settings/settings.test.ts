import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelProfiles } from '@varve/settings/profiles';
import { memoryStore } from '@varve/storage';
import { expect, test } from 'vitest';
import { server } from '../../server.ts';
import { testKey } from '../../../test/support/requests.ts';

async function opened(env: Readonly<Record<string, string>> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'varve-server-home-'));
  const app = server({ store: memoryStore(), keys: [testKey], home, env });
  const call = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await app.request(path, {
      method,
      headers: { 'X-Session-API-Key': testKey, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined };
  };
  const files = async () => {
    const names = await readdir(home, { recursive: true, withFileTypes: true });
    const texts = names
      .filter((each) => each.isFile())
      .map((each) => readFile(join(each.parentPath, each.name), 'utf8'));
    return (await Promise.all(texts)).join('\n');
  };
  return { home, call, files };
}

const expose = (value: string) => ({ 'x-expose-secrets': value });

test('profiles of the command are those of the server, and the reverse', async () => {
  const { home, call } = await opened();
  await modelProfiles(home).save('mine', { model: 'anthropic/claude-sonnet-4-5', temperature: 0.5 });
  expect((await call('GET', '/api/profiles')).json.profiles).toMatchObject([
    { name: 'mine', model: 'anthropic/claude-sonnet-4-5', api_key_set: false },
  ]);
  const llm = { model: 'openai/gpt-4o', api_key: 'sk-canary-1', top_k: 7, usage_id: 'fast' };
  expect((await call('POST', '/api/profiles/fast', { llm })).status).toBe(201);
  expect(await modelProfiles(home).read('fast')).toMatchObject({ model: 'openai/gpt-4o', top_k: 7, api_key: null });
  expect((await call('GET', '/api/profiles/fast')).json).toMatchObject({
    config: { model: 'openai/gpt-4o', top_k: 7, api_key: null },
    api_key_set: true,
  });
});

test('a model on this machine needs no key, and a provider has that of its variable', async () => {
  const { home, call } = await opened({ GROQ_API_KEY: 'k' });
  const profiles = modelProfiles(home);
  await profiles.save('local', { model: 'm', base_url: 'http://127.0.0.1:9/v1' });
  await profiles.save('ollama', { model: 'ollama/m' });
  await profiles.save('groq', { model: 'groq/m' });
  await profiles.save('elsewhere', { model: 'm', base_url: 'https://llm.example.test/v1' });
  const { profiles: listed } = (await call('GET', '/api/profiles')).json;
  const ready = listed.filter((each: { api_key_set: boolean }) => each.api_key_set);
  expect(ready.map((each: { name: string }) => each.name)).toEqual(['groq', 'local', 'ollama']);
  expect((await call('GET', '/api/profiles/local')).json).toMatchObject({
    api_key_set: true,
    config: { api_key: null },
  });
  await profiles.activate('local');
  const settings = (await call('GET', '/api/settings')).json;
  expect(settings).toMatchObject({
    llm_api_key_is_set: true,
    misc_settings: { app_preferences: { user_consents_to_analytics: false } },
  });
});

test('keys are stored encrypted, and shown only as the header asks', async () => {
  const { call, files } = await opened();
  await call('POST', '/api/profiles/fast', { llm: { model: 'm', api_key: 'sk-canary-2' } });
  await call('POST', '/api/profiles/fast/activate');
  expect(await files()).not.toContain('sk-canary-2');
  const settingsWith = async (header?: string) =>
    (await call('GET', '/api/settings', undefined, header ? expose(header) : {})).json.agent_settings.llm.api_key;
  expect(await settingsWith()).toBe('**********');
  expect(await settingsWith('plaintext')).toBe('sk-canary-2');
  const token = await settingsWith('encrypted');
  expect(token).toMatch(/^gAAAAA/);
  await call('POST', '/api/profiles/copy', { llm: { model: 'm', api_key: token } });
  const copy = await call('GET', '/api/profiles/copy', undefined, expose('plaintext'));
  expect(copy.json.config.api_key).toBe('sk-canary-2');
  expect((await call('GET', '/api/settings', undefined, expose('all'))).status).toBe(400);
  expect((await call('GET', '/api/settings/secrets')).json).toEqual({ secrets: [] });
});

test('a redacted key keeps the stored one of a profile, null removes it', async () => {
  const { call } = await opened();
  const key = async () =>
    (await call('GET', '/api/profiles/p', undefined, expose('plaintext'))).json.config.api_key as string | null;
  await call('POST', '/api/profiles/p', { llm: { model: 'm', api_key: 'sk-1' } });
  await call('POST', '/api/profiles/p', { llm: { model: 'n', api_key: '**********' } });
  expect(await key()).toBe('sk-1');
  await call('POST', '/api/profiles/p', { llm: { model: 'n', api_key: 'sk-2' }, include_secrets: false });
  expect(await key()).toBe('sk-1');
  await call('POST', '/api/profiles/p', { llm: { model: 'n', api_key: null } });
  expect(await key()).toBeNull();
});

test('changes are merged; refusals do not repeat values', async () => {
  const { call } = await opened();
  await call('PATCH', '/api/settings', {
    agent_settings_diff: { llm: { model: 'm', base_url: 'http://127.0.0.1:9/v1' } },
  });
  const changed = await call('PATCH', '/api/settings', {
    agent_settings_diff: { llm: { temperature: 0.3 }, condenser: { max_size: 99 }, enable_sub_agents: true },
    conversation_settings_diff: { confirmation_mode: true },
    misc_settings_diff: { app_preferences: { theme: 'dark' } },
  });
  expect(changed.json).toMatchObject({
    agent_settings: {
      llm: { model: 'm', base_url: 'http://127.0.0.1:9/v1', temperature: 0.3 },
      condenser: { enabled: true, max_size: 99 },
      enable_sub_agents: true,
    },
    conversation_settings: { confirmation_mode: true, max_iterations: 500 },
    misc_settings: { app_preferences: { theme: 'dark' } },
  });
  expect((await call('PATCH', '/api/settings', {})).status).toBe(400);
  const wrong = await call('PATCH', '/api/settings', {
    agent_settings_diff: { llm: { base_url: 'sk-in-a-wrong-field' } },
  });
  expect([wrong.status, wrong.json]).toEqual([422, { detail: 'Settings validation failed' }]);
  expect((await call('PATCH', '/api/settings', { conversation_settings_diff: { max_iterations: null } })).status).toBe(
    422,
  );
  expect((await call('PATCH', '/api/settings', { active_profile: 'missing' })).status).toBe(404);
  const hostile = '{"misc_settings_diff":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
  expect((await call('PATCH', '/api/settings', JSON.parse(hostile))).status).toBe(200);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('a change of the model leaves the profile; the profile and its key stay', async () => {
  const { call } = await opened();
  await call('POST', '/api/profiles/p', { llm: { model: 'm', api_key: 'sk-p' } });
  await call('POST', '/api/profiles/p/activate');
  const changed = await call('PATCH', '/api/settings', { agent_settings_diff: { llm: { model: 'other' } } });
  expect(changed.json).toMatchObject({ active_profile: null, llm_api_key_is_set: true });
  await call('DELETE', '/api/profiles/p');
  const kept = await call('GET', '/api/settings', undefined, expose('plaintext'));
  expect(kept.json.agent_settings.llm).toMatchObject({ model: 'other', api_key: 'sk-p' });
});

test('variables and headers of MCP servers are secrets', async () => {
  const { call, files } = await opened();
  const docs = { command: 'docs', env: { TOKEN: 'canary-env' }, headers: { Authorization: 'canary-header' } };
  const created = await call('POST', '/api/settings/mcp/docs', docs);
  expect(created.status).toBe(201);
  expect(created.json.agent_settings.mcp_config.docs).toMatchObject({ command: 'docs', env: { TOKEN: '**********' } });
  expect((await call('POST', '/api/settings/mcp/docs', docs)).status).toBe(409);
  await call('PATCH', '/api/settings/mcp/docs', { env: { TOKEN: '**********', MORE: 'canary-more' }, headers: null });
  const plain = await call('GET', '/api/settings', undefined, expose('plaintext'));
  expect(plain.json.agent_settings.mcp_config.docs).toEqual({
    command: 'docs',
    env: { TOKEN: 'canary-env', MORE: 'canary-more' },
  });
  expect(await files()).not.toContain('canary');
  expect((await call('DELETE', '/api/settings/mcp/docs')).json.agent_settings.mcp_config).toEqual({});
  expect((await call('PATCH', '/api/settings/mcp/docs', {})).status).toBe(404);
});

test('secrets have names and values; names of other records are reserved', async () => {
  const { call, files } = await opened();
  await call('PUT', '/api/settings/secrets', { name: 'TOKEN', value: 'canary-secret' });
  expect(await files()).not.toContain('canary-secret');
  const value = await call('GET', '/api/settings/secrets/TOKEN');
  expect([value.status, value.text]).toEqual([200, 'canary-secret']);
  for (const name of ['LLM_KEY_x', 'MCP_VALUE_x', 'with space', '1st']) {
    expect((await call('PUT', '/api/settings/secrets', { name, value: 'v' })).status).toBe(422);
  }
  expect((await call('DELETE', '/api/settings/secrets/TOKEN')).json).toEqual({ deleted: true });
  expect((await call('DELETE', '/api/settings/secrets/TOKEN')).status).toBe(404);
});

test('agent profiles name model profiles, which cannot be removed meanwhile', async () => {
  const { call } = await opened();
  await call('POST', '/api/profiles/p', { llm: { model: 'm', api_key: 'sk-p' } });
  expect((await call('POST', '/api/agent-profiles/a', { agent_kind: 'openhands' })).json.detail[0].loc).toEqual([
    'openhands',
    'llm_profile_ref',
  ]);
  expect((await call('POST', '/api/agent-profiles/a', { llm_profile_ref: 'p', surprise: 1 })).status).toBe(422);
  expect((await call('POST', '/api/agent-profiles/a', { llm_profile_ref: 'p', mcp_server_refs: ['x'] })).status).toBe(
    201,
  );
  expect((await call('DELETE', '/api/profiles/p')).status).toBe(409);
  expect((await call('POST', '/api/profiles/p/rename', { new_name: 'q' })).status).toBe(200);
  expect((await call('GET', '/api/agent-profiles/a')).json.profile).toMatchObject({
    llm_profile_ref: 'q',
    revision: 0,
  });
  expect((await call('POST', '/api/agent-profiles/a/materialize')).json).toMatchObject({
    valid: false,
    llm_profile_resolved: true,
    llm_api_key_set: true,
    dangling_mcp_server_refs: ['x'],
  });
  const { profiles } = (await call('GET', '/api/agent-profiles')).json;
  expect((await call('POST', `/api/agent-profiles/${profiles[0].id}/activate`)).status).toBe(200);
  expect((await call('GET', '/api/settings')).json).toMatchObject({
    active_profile: null,
    active_agent_profile_id: profiles[0].id,
  });
});

test('an agent profile in use does not hide the settings', async () => {
  const { call } = await opened();
  const model = async () => (await call('GET', '/api/settings')).json.agent_settings.llm.model;
  const change = { agent_settings_diff: { llm: { model: 'first', base_url: 'http://127.0.0.1:9/v1' } } };
  await call('PATCH', '/api/settings', change);
  const { active_agent_profile_id: id } = (await call('GET', '/api/agent-profiles')).json;
  expect((await call('GET', '/api/settings')).json.active_agent_profile_id).toBe(id);
  const answer = await call('PATCH', '/api/settings', { agent_settings_diff: { llm: { model: 'second' } } });
  expect([answer.json.agent_settings.llm.model, await model()]).toEqual(['second', 'second']);
  await call('POST', `/api/agent-profiles/${id}/activate`);
  expect(await model()).toBe('second');
});

test('a model is checked by a request to its server', async () => {
  const { call } = await opened();
  const llm = { model: 'openai/x', base_url: 'http://127.0.0.1:1/v1', api_key: 'sk-validate' };
  const checked = await call('POST', '/api/profiles/p/validate', { llm });
  expect(checked.json).toMatchObject({ valid: false, error: { message: expect.any(String) } });
  expect(checked.text).not.toContain('sk-validate');
});

test('a server without a data directory has no settings', async () => {
  const app = server({ store: memoryStore(), keys: [testKey] });
  const response = await app.request('/api/settings', { headers: { 'X-Session-API-Key': testKey } });
  expect(response.status).toBe(503);
});
