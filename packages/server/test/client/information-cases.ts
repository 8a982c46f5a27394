import { expect } from 'vitest';
import type { ClientCases } from './open-client.ts';

/** Cases of information. */
export const informationCases: ClientCases = {
  'the client accepts health, readiness and version': async (open) => {
    await using opened = await open();
    const { server } = opened.client;
    expect(await server.getAlive()).toEqual({ status: 'ok' });
    expect(await server.getHealth()).toEqual({ status: 'ok' });
    expect(await server.getReady()).toMatchObject({ status: 'ready' });
    const info = await server.getServerInfo();
    expect(info.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(info['usable_tools']).toEqual(expect.arrayContaining(['file_editor', 'task_tracker', 'terminal']));
    expect(await server.getRoot()).toMatchObject({ version: info.version });
  },
  'the catalogue lists providers, models and tools': async (open) => {
    await using opened = await open();
    const { llm, tools } = opened.client;
    expect(await llm.getProviders()).toEqual(expect.arrayContaining(['openai', 'anthropic']));
    expect((await llm.getModels()).length).toBeGreaterThan(10);
    expect(Object.keys(await llm.getVerifiedModels())).toContain('openai');
    expect(await tools.listTools()).toEqual(expect.arrayContaining(['terminal', 'file_editor']));
  },
  'the schemas of settings describe sections and fields': async (open) => {
    await using opened = await open();
    const { settings } = opened.client;
    expect(await settings.getAgentSchema()).toHaveProperty('sections');
    expect(await settings.getConversationSchema()).toHaveProperty('sections');
  },
  'skills, sub-agents, plugins and hooks of a workspace are listed': async (open) => {
    await using opened = await open();
    const { client, workspace } = opened;
    expect((await client.skills.getSkills({ project_dir: workspace })).skills).toEqual(expect.any(Array));
    expect((await client.skills.listInstalledSkills()).skills).toEqual([]);
    expect(await client.subAgents.getSubAgents({ project_dir: workspace })).toBeDefined();
    expect(await client.plugins.getPlugins({ project_dir: workspace })).toBeDefined();
    expect((await client.plugins.listInstalledPlugins()).plugins).toEqual([]);
    expect(await client.hooks.loadHooks({ project_dir: workspace })).toMatchObject({ hook_config: null });
  },
  'the disabled editor and desktop have no address': async (open) => {
    await using opened = await open();
    expect(await opened.client.vscode.getStatus()).toMatchObject({ enabled: false });
    await expect(opened.client.desktop.getUrl()).rejects.toMatchObject({ status: 503 });
  },
};
