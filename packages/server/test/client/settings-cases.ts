import { expect } from 'vitest';
import type { ClientCases, OpenedClient } from './open-client.ts';

/** Returns the names of the profiles: the first list of agent profiles adds one. */
async function namesOf({ client: { profiles } }: OpenedClient): Promise<readonly string[]> {
  return (await profiles.listProfiles()).profiles.map(({ name }) => name);
}

/** Cases of settings. */
export const settingsCases: ClientCases = {
  'profiles are saved, activated, renamed and deleted, and do not expose keys': async (open) => {
    await using opened = await open();
    const { profiles } = opened.client;
    const llm = { model: 'openai/gpt-4o', api_key: 'sk-of-the-profile' };
    await profiles.saveProfile('fast', { llm });
    expect(await profiles.getProfile('fast')).toMatchObject({ name: 'fast', api_key_set: true });
    expect(JSON.stringify(await profiles.getProfile('fast'))).not.toContain('sk-of-the-profile');
    expect(await profiles.validateProfile('fast', { llm })).toBeDefined();
    await profiles.activateProfile('fast');
    expect(await profiles.listProfiles()).toMatchObject({ active_profile: 'fast' });
    await profiles.renameProfile('fast', 'quick');
    expect(await namesOf(opened)).toEqual(expect.arrayContaining(['quick']));
    expect(await namesOf(opened)).not.toContain('fast');
    await profiles.deleteProfile('quick');
    expect(await namesOf(opened)).not.toContain('quick');
    await expect(profiles.getProfile('quick')).rejects.toMatchObject({ status: 404 });
  },
  'settings are changed by parts; their key is masked': async (open) => {
    await using opened = await open();
    const { settings } = opened.client;
    await settings.updateSettings({ agent_settings_diff: { llm: { model: 'openai/gpt-4o', api_key: 'sk-settings' } } });
    const read = await settings.getSettings();
    expect(read).toMatchObject({ llm_api_key_is_set: true });
    expect(JSON.stringify(read)).not.toContain('sk-settings');
    expect(JSON.stringify(read)).toContain('gpt-4o');
  },
  'secrets are stored, listed by name, read and removed': async (open) => {
    await using opened = await open();
    const { settings } = opened.client;
    await settings.upsertSecret({ name: 'TOKEN', value: 'of-the-secret', description: 'for tests' });
    expect((await settings.listSecrets()).secrets).toMatchObject([{ name: 'TOKEN', description: 'for tests' }]);
    expect(await settings.getSecret('TOKEN')).toBe('of-the-secret');
    await settings.deleteSecret('TOKEN');
    await expect(settings.getSecret('TOKEN')).rejects.toMatchObject({ status: 404 });
  },
  'MCP servers are settings': async (open) => {
    await using opened = await open();
    const { settings } = opened.client;
    await settings.createMcpServer('docs', { transport: 'stdio', command: 'docs-server', args: [] });
    expect(JSON.stringify(await settings.getSettings())).toContain('docs-server');
    await settings.patchMcpServer('docs', { command: 'other-server' });
    expect(JSON.stringify(await settings.getSettings())).toContain('other-server');
    await settings.deleteMcpServer('docs');
    expect(JSON.stringify(await settings.getSettings())).not.toContain('other-server');
  },
  'a default agent profile exists and can be activated': async (open) => {
    await using opened = await open();
    const { agentProfiles } = opened.client;
    const { profiles } = await agentProfiles.listAgentProfiles();
    expect(profiles).toMatchObject([{ name: 'default' }]);
    const { profile } = await agentProfiles.getAgentProfile('default');
    await agentProfiles.saveAgentProfile('other', { ...profile, name: 'other' });
    await agentProfiles.renameAgentProfile('other', 'third');
    expect(await agentProfiles.materializeAgentProfile('third')).toMatchObject({ agent_kind: 'openhands' });
    await agentProfiles.activateAgentProfile(profile.id);
    expect(await agentProfiles.listAgentProfiles()).toMatchObject({ active_agent_profile_id: profile.id });
    await agentProfiles.deleteAgentProfile('third');
  },
};
