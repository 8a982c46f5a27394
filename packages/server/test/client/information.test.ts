import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient, type OpenedClient } from './open-client.ts';

let opened: OpenedClient;
beforeAll(async () => {
  opened = await openClient();
});
afterAll(() => opened[Symbol.asyncDispose]());

test('the client accepts health, readiness and version', async () => {
  const { server } = opened.client;
  expect(await server.getAlive()).toEqual({ status: 'ok' });
  expect(await server.getHealth()).toEqual({ status: 'ok' });
  expect(await server.getReady()).toMatchObject({ status: 'ready' });
  const info = await server.getServerInfo();
  expect(info.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(info['usable_tools']).toEqual(expect.arrayContaining(['file_editor', 'task_tracker', 'terminal']));
  expect(await server.getRoot()).toMatchObject({ version: info.version });
});

test('the catalogue lists providers, models and tools', async () => {
  const { llm, tools } = opened.client;
  expect(await llm.getProviders()).toEqual(expect.arrayContaining(['openai', 'anthropic']));
  expect((await llm.getModels()).length).toBeGreaterThan(10);
  expect(Object.keys(await llm.getVerifiedModels())).toContain('openai');
  expect(await tools.listTools()).toEqual(expect.arrayContaining(['terminal', 'file_editor']));
});

test('the schemas of settings describe sections and fields', async () => {
  const { settings } = opened.client;
  expect(await settings.getAgentSchema()).toHaveProperty('sections');
  expect(await settings.getConversationSchema()).toHaveProperty('sections');
});

test('the disabled editor and desktop have no address', async () => {
  expect(await opened.client.vscode.getStatus()).toMatchObject({ enabled: false });
  await expect(opened.client.desktop.getUrl()).rejects.toMatchObject({ status: 503 });
});
