import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { scriptedServer } from '@varve/llm/testing';
import { resolveSettings } from '../layers/resolve-settings.ts';
import { agentProfiles, type AgentProfiles } from './agent-profiles.ts';
import { capabilityCache } from './capabilities.ts';
import { llmValuesOf, modelProfileOf, storedKeyOf } from './model-profile.ts';
import { modelProfiles, type ModelProfiles } from './model-profiles.ts';
import { recordFolder } from './record-folder.ts';

interface Opened {
  readonly home: string;
  readonly models: ModelProfiles;
  readonly agents: AgentProfiles;
  readonly role: (name: 'agent' | 'title') => Promise<string | undefined>;
}

async function opened(): Promise<Opened> {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  return {
    home,
    models: modelProfiles(home),
    agents: agentProfiles(home, () => '11111111-1111-4111-8111-111111111111'),
    role: async (name) => (await resolveSettings({ home, env: {} })).get(`roles.${name}`),
  };
}

/** Profile as the reference writes it, with its defaults. */
const fromReference = {
  model: 'anthropic/claude-sonnet-5',
  api_key: 'sk-plain-0123456789',
  base_url: null,
  api_version: null,
  num_retries: 5,
  retry_multiplier: 8.0,
  timeout: 300,
  temperature: null,
  reasoning_effort: 'xhigh',
  native_tool_calling: false,
  litellm_extra_body: {},
  usage_id: 'default',
  schema_version: 1,
};

test('a profile of the reference is read, and keeps its other fields without its key', () => {
  expect(llmValuesOf(fromReference, 'p')).toEqual({
    model: 'anthropic/claude-sonnet-5',
    num_retries: 5,
    timeout: 300,
    reasoning_effort: 'high',
    function_calling: 'mock',
  });
  expect(llmValuesOf({ model: 'm', num_retries: 0 }, 'p')).toEqual({ model: 'm', num_retries: 1 });
  expect(storedKeyOf(fromReference)).toBe('sk-plain-0123456789');
  const record = modelProfileOf({ model: 'm', api_key_ref: 'secret:KEY' }, 'p', fromReference);
  expect(record).toMatchObject({ model: 'm', api_key: null, api_key_ref: 'secret:KEY', usage_id: 'default' });
  expect(record).not.toHaveProperty('native_tool_calling');
  expect(JSON.stringify(record)).not.toContain('sk-plain');
});

test.for([undefined, null, '', '**********'])('%j is no stored key', (key) => {
  expect(storedKeyOf(key === undefined ? {} : { api_key: key })).toBeUndefined();
});

test('a profile is created, activated, renamed with the roles that name it, and removed with them', async () => {
  const { home, models, role } = await opened();
  await models.save('work', { model: 'gpt-5.1', base_url: 'https://llm.example.test/v1' });
  await models.activate('work');
  await models.activate('work', 'title');
  expect([await role('agent'), await role('title')]).toEqual(['work', 'work']);
  await models.rename('work', 'job');
  expect([await role('agent'), await role('title')]).toEqual(['job', 'job']);
  expect((await models.list()).map(({ name }) => name)).toEqual(['job']);
  expect(llmValuesOf(await models.read('job'), 'job').base_url).toBe('https://llm.example.test/v1');
  await models.remove('job');
  expect([await role('agent'), await models.list()]).toEqual([undefined, []]);
  await models.remove('job');
  expect(await readFile(join(home, 'config.json'), 'utf8')).not.toContain('job');
});

test('an old name that cannot be removed is reported with the new one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  const folder = recordFolder(directory, () => z.string(), 'model profile');
  await folder.write('work', 'a');
  const movePointers = async (): Promise<void> => {
    await rm(join(directory, 'work.json'));
    await mkdir(join(directory, 'work.json'));
  };
  await expect(folder.rename('work', 'job', { movePointers })).rejects.toMatchObject({
    code: 'io',
    message: expect.stringMatching(
      /^The model profile "job" replaces "work", which could not be removed: .*work\.json/,
    ),
  });
});

test('comments of the settings file survive an activation', async () => {
  const { home, models, role } = await opened();
  await writeFile(join(home, 'config.json'), '{\n  // Mine.\n  "store": "memory:"\n}\n');
  await models.save('a', { model: 'm' });
  await models.activate('a');
  expect(await role('agent')).toBe('a');
  expect(await readFile(join(home, 'config.json'), 'utf8')).toContain('// Mine.');
});

test.for(['', '.hidden', '../up', 'a/b', 'a'.repeat(65), 'a b'])('%j is no name of a profile', async (name) => {
  const { models } = await opened();
  await expect(models.save(name, { model: 'm' })).rejects.toMatchObject({ code: 'invalid' });
  await expect(models.read(name)).rejects.toMatchObject({ code: 'invalid' });
});

test('missing, existing, newer and broken profiles are errors, and the others are listed', async () => {
  const { home, models } = await opened();
  await models.save('a', { model: 'm' });
  await models.save('b', { model: 'm' });
  await expect(models.read('c')).rejects.toMatchObject({ code: 'missing', message: 'There is no model profile "c".' });
  await expect(models.activate('c')).rejects.toMatchObject({ code: 'missing' });
  await expect(models.rename('a', 'b')).rejects.toThrow('There is a model profile "b" already.');
  await writeFile(join(home, 'profiles', 'new.json'), '{"model": "m", "schema_version": 2}');
  await writeFile(join(home, 'profiles', 'broken.json'), '{');
  await writeFile(join(home, 'profiles', 'type.json'), '{"model": "m", "temperature": "hot"}');
  await expect(models.read('new')).rejects.toThrow('schema_version');
  await expect(models.activate('type')).rejects.toThrow('Profile "type": temperature');
  const problems = (await models.list()).map((each) => ('problem' in each ? `${each.name}!` : each.name));
  expect(problems).toEqual(['a', 'b', 'broken!', 'new!', 'type']);
  expect((await models.readable()).map(({ name }) => name)).toEqual(['a', 'b', 'type']);
});

test('there are at most 50 profiles', async () => {
  const { home, models } = await opened();
  await mkdir(join(home, 'profiles'));
  for (let index = 0; index < 50; index += 1)
    await writeFile(join(home, 'profiles', `p${index}.json`), '{"model":"m"}');
  await expect(models.save('more', { model: 'm' })).rejects.toThrow('There are 50 model profiles already.');
  await models.save('p1', { model: 'other' });
});

test('an agent profile keeps its id, counts revisions, and protects its model profile', async () => {
  const { models, agents } = await opened();
  await models.save('cheap', { model: 'm' });
  await agents.save({ name: 'reviewer', llm_profile_ref: 'cheap', tool_concurrency_limit: 4 });
  const second = await agents.save({ name: 'reviewer', llm_profile_ref: 'cheap', varve: { text_reply: 'wait' } });
  expect(second).toMatchObject({ id: '11111111-1111-4111-8111-111111111111', revision: 1, schema_version: 2 });
  await expect(models.remove('cheap')).rejects.toThrow('The agent profile "reviewer" uses the profile "cheap".');
  await models.rename('cheap', 'small');
  expect((await agents.read('reviewer')).llm_profile_ref).toBe('small');
});

test('the settings of an agent profile are stronger than files, and weaker than variables', async () => {
  const { home, agents } = await opened();
  await agents.save({
    name: 'reviewer',
    llm_profile_ref: 'cheap',
    tool_concurrency_limit: 4,
    condenser: { enabled: true, max_size: 80 },
    varve: { condenser: { max_events: 90 }, text_reply: 'wait' },
  });
  await agents.activate('reviewer');
  const env = { VARVE_TEXT_REPLY: 'continue' };
  const settings = await resolveSettings({ home, env, agentProfile: (name) => agents.settings(name) });
  expect(
    ['roles.agent', 'concurrency', 'condenser.max_events', 'text_reply'].map((key) => settings.get(key as never)),
  ).toEqual(['cheap', 4, 90, 'continue']);
  expect(settings.entry('concurrency')?.origin).toEqual({
    kind: 'file',
    layer: 'agent-profile',
    path: join(home, 'agent-profiles', 'reviewer.json'),
  });
  await agents.rename('reviewer', 'critic');
  expect((await resolveSettings({ home, env })).get('agent_profile')).toBe('critic');
  await agents.remove('critic');
  expect((await resolveSettings({ home, env })).get('agent_profile')).toBeUndefined();
});

test('tools, servers, skills, instructions and the condenser of an agent profile have an effect', async () => {
  const { agents } = await opened();
  const tools = ['terminal', { name: 'FileEditorTool', params: {} }, { name: 'grep', params: { maxFiles: 3 } }];
  const fields = {
    enable_sub_agents: true,
    mcp_server_refs: ['docs'],
    disabled_skills: ['release'],
    system_message_suffix: 'Be brief.',
  };
  await agents.save({ name: 'small', tools, condenser: { enabled: false }, ...fields });
  expect(Object.fromEntries((await agents.settings('small')).map(({ key, value }) => [key, value]))).toEqual({
    'tools.only': ['terminal', 'FileEditorTool', 'grep', 'think', 'finish'],
    'tools.options': { grep: { maxFiles: 3 } },
    'tools.add': ['task'],
    mcp_enabled: ['docs'],
    'skills.disabled': ['release'],
    'prompt.suffix': 'Be brief.',
    'condenser.kind': 'no-condensation',
  });
});

test('an agent profile with an unknown setting is refused', async () => {
  const { agents } = await opened();
  const saved = agents.save({ name: 'a', varve: { tex_reply: 'wait' } });
  await expect(saved).rejects.toThrow('unknown key "tex_reply"; the nearest is "text_reply"');
});

test('capabilities are queried once, and forgotten after a week', async () => {
  const { home } = await opened();
  await using server = await scriptedServer([]);
  let now = 0;
  let requests = 0;
  const fetch: typeof globalThis.fetch = async (url) => {
    requests += 1;
    const isList = new URL(new Request(url).url).pathname === '/v1/models';
    return isList ? Response.json({ data: [{ id: 'm', max_model_len: 4096 }] }) : new Response('', { status: 404 });
  };
  const cache = capabilityCache(home, { now: () => now, fetch });
  const address = { baseUrl: server.url, model: 'm' };
  expect(await cache.known(address)).toBeUndefined();
  expect(await cache.probe(address)).toEqual({ contextWindow: 4096 });
  const asked = requests;
  expect(await cache.known(address)).toEqual({ contextWindow: 4096 });
  expect(await cache.known({ ...address, model: 'other' })).toBeUndefined();
  now = 8 * 24 * 60 * 60 * 1000;
  expect(await cache.known(address)).toBeUndefined();
  expect(requests).toBe(asked);
});
