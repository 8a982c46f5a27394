import { afterEach, beforeEach, expect, test } from 'vitest';
import { openClient, type OpenedClient } from './open-client.ts';

let opened: OpenedClient;
beforeEach(async () => {
  opened = await openClient();
});
afterEach(() => opened[Symbol.asyncDispose]());

test('profiles are saved, activated, renamed and deleted, and do not expose keys', async () => {
  const { profiles } = opened.client;
  const llm = { model: 'openai/gpt-4o', api_key: 'sk-of-the-profile' };
  await profiles.saveProfile('fast', { llm });
  expect(await profiles.getProfile('fast')).toMatchObject({ name: 'fast', api_key_set: true });
  expect(JSON.stringify(await profiles.getProfile('fast'))).not.toContain('sk-of-the-profile');
  await profiles.activateProfile('fast');
  expect(await profiles.listProfiles()).toMatchObject({ active_profile: 'fast', profiles: [{ name: 'fast' }] });
  await profiles.renameProfile('fast', 'quick');
  expect((await profiles.listProfiles()).profiles.map(({ name }) => name)).toEqual(['quick']);
  await profiles.deleteProfile('quick');
  expect((await profiles.listProfiles()).profiles).toEqual([]);
  await expect(profiles.getProfile('quick')).rejects.toMatchObject({ status: 404 });
});

test('settings are changed by parts; their key is masked', async () => {
  const { settings } = opened.client;
  await settings.updateSettings({ agent_settings_diff: { llm: { model: 'openai/gpt-4o', api_key: 'sk-settings' } } });
  const read = await settings.getSettings();
  expect(read).toMatchObject({ llm_api_key_is_set: true });
  expect(JSON.stringify(read)).not.toContain('sk-settings');
  expect(JSON.stringify(read)).toContain('gpt-4o');
});

test('secrets are stored, listed by name, read and removed', async () => {
  const { settings } = opened.client;
  await settings.upsertSecret({ name: 'TOKEN', value: 'of-the-secret', description: 'for tests' });
  expect((await settings.listSecrets()).secrets).toMatchObject([{ name: 'TOKEN', description: 'for tests' }]);
  expect(await settings.getSecret('TOKEN')).toBe('of-the-secret');
  await settings.deleteSecret('TOKEN');
  await expect(settings.getSecret('TOKEN')).rejects.toMatchObject({ status: 404 });
});

test('MCP servers are settings', async () => {
  const { settings } = opened.client;
  await settings.createMcpServer('docs', { transport: 'stdio', command: 'docs-server', args: [] });
  expect(JSON.stringify(await settings.getSettings())).toContain('docs-server');
  await settings.deleteMcpServer('docs');
  expect(JSON.stringify(await settings.getSettings())).not.toContain('docs-server');
});

test('a default agent profile exists and can be activated', async () => {
  const { agentProfiles } = opened.client;
  const { profiles } = await agentProfiles.listAgentProfiles();
  expect(profiles).toMatchObject([{ name: 'default' }]);
  const { profile } = await agentProfiles.getAgentProfile('default');
  await agentProfiles.saveAgentProfile('other', { ...profile, name: 'other' });
  await agentProfiles.renameAgentProfile('other', 'third');
  await agentProfiles.deleteAgentProfile('third');
});
