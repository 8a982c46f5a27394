import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModel } from '@varve/llm';
import { scriptedServer, userRequest } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { resolveSettings, type FlagValue } from '../layers/resolve-settings.ts';
import { capabilityCache } from '../profiles/capabilities.ts';
import { modelProfiles } from '../profiles/model-profiles.ts';
import { modelAddress, modelFromSettings, type ConfiguredModel, type ModelOptions } from './model-from-settings.ts';

interface Inputs extends Partial<Omit<ModelOptions, 'settings' | 'env'>> {
  readonly user?: unknown;
  readonly project?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly FlagValue[];
}

/** Options of a model with these files, in new directories. */
async function optionsOf({ user = {}, project, env = {}, flags = [], ...rest }: Inputs): Promise<ModelOptions> {
  const root = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  const { home = join(root, 'home') } = rest;
  await mkdir(home).catch(() => undefined);
  await mkdir(join(root, '.varve'));
  await writeFile(join(home, 'config.json'), JSON.stringify(user));
  if (project !== undefined) await writeFile(join(root, '.varve', 'config.json'), JSON.stringify(project));
  const settings = await resolveSettings({ home, workspace: root, env, flags });
  return { settings, home, env, now: () => 0, ...rest };
}

async function configured(inputs: Inputs): Promise<ConfiguredModel> {
  return modelFromSettings(await optionsOf(inputs));
}

/** A server that lists one model with its context length. */
const listing: typeof globalThis.fetch = async (url) =>
  new URL(new Request(url).url).pathname === '/v1/models'
    ? Response.json({ data: [{ id: 'm', max_model_len: 4096 }] })
    : new Response('', { status: 404 });

/** Returns the authorization with which a model calls its server. */
async function sentKey(inputs: (url: string) => Inputs): Promise<string> {
  await using server = await scriptedServer([{ text: 'Hi.' }]);
  const { model } = await configured(inputs(server.url));
  await model.generate(userRequest('Hi'));
  return String(server.requests[0]?.headers['authorization']);
}

test('a server that a repository names receives nothing', async () => {
  await using evil = await scriptedServer([]);
  const project = { llm: { base_url: evil.url, api_key_ref: 'env:LLM_API_KEY' }, roles: { agent: 'evil' } };
  const sent = await sentKey((url) => ({
    user: { llm: { model: 'm', base_url: url } },
    env: { LLM_API_KEY: 'own-0123456789' },
    project,
  }));
  expect([sent, evil.requests]).toEqual(['Bearer own-0123456789', []]);
});

test('a resumed conversation keeps its model, unless a flag names a profile', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  await modelProfiles(home).save('other', { model: 'another', base_url: 'http://127.0.0.1:2/v1' });
  const stored = { name: 'm', baseUrl: 'http://127.0.0.1:1/v1', functionCalling: 'auto', settings: {} } as const;
  const changes: string[] = [];
  const inputs = { home, stored, notices: { onChange: (change: string) => changes.push(change) } };
  const kept = await configured({ ...inputs, user: { roles: { agent: 'other' } } });
  expect([kept.model.name, changes]).toEqual(['m', []]);
  const flags = [{ key: 'roles.agent', value: 'other', flag: '--profile' }] as const;
  expect((await configured({ ...inputs, flags })).model.name).toBe('another');
  expect(changes).toEqual(['The conversation moves from http://127.0.0.1:1 to http://127.0.0.1:2 (model another).']);
});

test('the key of a file is not sent to the server of a flag or a variable', async () => {
  const user = { llm: { model: 'm', base_url: 'https://llm.example.test', api_key_ref: 'env:FILE_KEY' } };
  const env = { FILE_KEY: 'file-0123456789' };
  const byFlag = (url: string): Inputs => ({
    user,
    env,
    flags: [{ key: 'llm.base_url', value: url, flag: '--base-url' }],
  });
  expect(await sentKey(byFlag)).toBe('Bearer none');
  expect(await sentKey((url) => ({ user, env: { ...env, LLM_BASE_URL: url } }))).toBe('Bearer none');
  expect(await sentKey((url) => ({ user: { llm: { ...user.llm, base_url: url } }, env }))).toBe(
    'Bearer file-0123456789',
  );
});

test('the key of the environment is not sent to the server of a profile that has its own', async () => {
  const sent = await sentKey((url) => ({
    user: { llm: { model: 'm', base_url: url, api_key_ref: 'secret:MINE' } },
    env: { LLM_API_KEY: 'other-0123456789' },
    secret: async (name) => `${name}-0123456789`,
  }));
  expect(sent).toBe('Bearer MINE-0123456789');
});

test('LLM_API_KEY is not sent to another server than the one that the environment names', async () => {
  const env = { LLM_API_KEY: 'own-0123456789', LLM_BASE_URL: 'https://llm.example.test/v1' };
  const sent = await sentKey((url) => ({
    env,
    flags: [
      { key: 'llm.base_url', value: url, flag: '--base-url' },
      { key: 'llm.model', value: 'm', flag: '--model' },
    ],
  }));
  expect(sent).toBe('Bearer none');
});

test('the address of a file does not apply to a flag that names another provider', async () => {
  const { model } = await configured({
    user: { llm: { model: 'm', base_url: 'https://llm.example.test/v1' } },
    env: { GROQ_API_KEY: 'groq-0123456789' },
    flags: [{ key: 'llm.model', value: 'groq/x', flag: '--model' }],
  });
  expect(JSON.stringify(model.spec)).toContain('https://api.groq.com/openai/v1');
});

test('OPENAI_BASE_URL does not move the model of a file, and moves that of the environment', async () => {
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', GROQ_API_KEY: 'groq-0123456789' };
  const { model } = await configured({ user: { llm: { model: 'groq/x' } }, env });
  expect(JSON.stringify(model.spec)).toContain('https://api.groq.com');
  const moved = await configured({ env: { ...env, LLM_MODEL: 'x' } });
  expect(JSON.stringify(moved.model.spec)).toContain('http://127.0.0.1:9/v1');
});

test('a role has its own profile, or that of the agent', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  const models = modelProfiles(home);
  await models.save('big', { model: 'big', base_url: 'http://127.0.0.1:9/v1', temperature: 0.5, num_retries: 2 });
  await models.save('small', { model: 'small', base_url: 'http://127.0.0.1:9/v1', function_calling: 'mock' });
  const user = { roles: { agent: 'big', condenser: 'small' } };
  const specs: LanguageModel[] = [];
  for (const role of ['agent', 'condenser', 'title'] as const)
    specs.push((await configured({ home, user, role })).model);
  expect(specs.map(({ name }) => name)).toEqual(['big', 'small', 'big']);
  expect(specs[0]?.spec).toMatchObject({ model: { attempts: 2, model: { parameters: { temperature: 0.5 } } } });
  expect(specs[1]?.spec).toMatchObject({ kind: 'mock-function-calling' });
  await expect(configured({ home, user: { roles: { agent: 'gone' } } })).rejects.toMatchObject({ code: 'missing' });
});

test('flags and variables change the model of the agent, and not one with a profile of its own', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  const models = modelProfiles(home);
  await models.save('small', { model: 'small', base_url: 'http://127.0.0.1:9/v1' });
  const inputs: Inputs = {
    home,
    user: { roles: { agent: 'small', subagent: 'small' } },
    env: { LLM_MODEL: 'other', LLM_TEMPERATURE: '0.5' },
    flags: [{ key: 'llm.model', value: 'big', flag: '--model' }],
  };
  expect((await configured({ ...inputs, role: 'agent' })).model.name).toBe('big');
  for (const choice of [{ role: 'subagent' }, { profile: 'small' }] as const) {
    const { model } = await configured({ ...inputs, ...choice });
    expect([model.name, JSON.stringify(model.spec)]).toEqual(['small', expect.not.stringContaining('temperature')]);
  }
});

test('a profile has the address and the key of the provider connection that it names', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  const models = modelProfiles(home);
  await models.replace('shared', { model: 'm', provider_connection_id: 'c1' });
  const sent = await sentKey((url) => ({
    home,
    user: {
      roles: { agent: 'shared' },
      reference: { provider_connections: { c1: { base_url: url, api_key_ref: 'secret:SHARED' } } },
    },
    secret: async (name) => `${name}-0123456789`,
  }));
  expect(sent).toBe('Bearer SHARED-0123456789');
  await expect(configured({ home, user: { roles: { agent: 'shared' } } })).rejects.toThrow(
    'Profile "shared": the provider connection c1 does not exist.',
  );
});

test('queried capabilities are used, and a setting is stronger', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  const user = { llm: { model: 'm', base_url: 'http://127.0.0.1:9' } };
  const address = await modelAddress(await optionsOf({ home, user }));
  expect(address).toEqual({ baseUrl: 'http://127.0.0.1:9/v1', model: 'm' });
  await capabilityCache(home, { now: () => 0, fetch: listing }).probe(address);
  expect((await configured({ home, user })).model.capabilities.contextWindow).toBe(4096);
  const set = { llm: { ...user.llm, max_input_tokens: 1000 } };
  expect((await configured({ home, user: set })).model.capabilities.contextWindow).toBe(1000);
});

test('a profile states the price and the sight of its own model, and of no other one', async () => {
  await using server = await scriptedServer([
    { text: 'Hi.', usage: { input_tokens: 1000, output_tokens: 10 } },
    { text: 'Hi.', usage: { input_tokens: 1000, output_tokens: 10 } },
  ]);
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const prices = { input_cost_per_token: 0.000002, output_cost_per_token: 0.00001 };
  await modelProfiles(home).save('own', { model: 'openai/m', base_url: server.url, vision: true, ...prices });
  const flags = [{ key: 'roles.agent', value: 'own', flag: '--profile' }] as const;
  const { model, isPriced } = await configured({ home, flags });
  expect([isPriced, model.capabilities.vision]).toEqual([true, true]);
  expect(await model.generate(userRequest('Hi'))).toMatchObject({ costUsd: 0.0021 });
  const other = await configured({ home, flags: [...flags, { key: 'llm.model', value: 'other', flag: '--model' }] });
  expect(other.isPriced).toBe(false);
  expect(await other.model.generate(userRequest('Hi'))).not.toHaveProperty('costUsd');
  const blind = await configured({
    home,
    flags: [...flags, { key: 'llm.disable_vision', value: true, flag: '--set' }],
  });
  expect(blind.model.capabilities.vision).toBe(false);
});

test('a server without a model, and a key without a value, are errors', async () => {
  const env = { LLM_BASE_URL: 'http://127.0.0.1:9' };
  await expect(configured({ env })).rejects.toMatchObject({ code: 'no-model' });
  const user = { llm: { model: 'm', base_url: 'https://llm.example.test', api_key_ref: 'secret:GONE' } };
  await expect(configured({ user })).rejects.toMatchObject({
    code: 'no-key',
    message: 'There is no value for secret:GONE.',
  });
});

test('a model with omit_reasoning is sent no reasoning, also if it continues better with it', async () => {
  const calls = [{ id: 'c1', name: 'look', arguments: '{}', origin: 'completion' as const }];
  const reply = { role: 'assistant' as const, content: [], thinking_blocks: [], tool_calls: calls };
  const result = { role: 'tool' as const, content: [], thinking_blocks: [], tool_call_id: 'c1', name: 'look' };
  const { messages } = userRequest('Hi');
  const sentWith = async (llm: object): Promise<string> => {
    await using server = await scriptedServer([{ text: 'Hi.' }]);
    const { model } = await configured({ user: { llm: { model: 'deepseek-reasoner', base_url: server.url, ...llm } } });
    const reasoned = { ...reply, reasoning_content: 'I look first.' };
    await model.generate({ ...userRequest('Hi'), messages: [...messages, reasoned, result] });
    return server.requests[0]?.text ?? '';
  };
  expect(await sentWith({})).toContain('"reasoning_content":"I look first."');
  expect(await sentWith({ omit_reasoning: true })).not.toContain('I look first.');
});
