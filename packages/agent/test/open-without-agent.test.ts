import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { functionCalling, openaiChat, retry } from '@varve/llm';
import { scriptedModel, scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { rollingWindow } from '@varve/condensers';
import { memoryStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { exportBundle } from '@varve/storage/maintenance';
import { finish, toolPresets } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { readProjectContext } from '@varve/skills';
import { Conversation } from '../src/conversation/conversation.ts';
import { presetPrompt } from '../src/prompt/preset-prompt.ts';
import { agentRegistries, toolset, type MissingPart } from '../src/specs/index.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const think = (thought: string): ScriptedTurn => ({ calls: [{ name: 'think', arguments: { thought } }] });
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const apiKey = 'sk-0123456789';
const registries = agentRegistries({
  models: { credentials: () => ({ apiKey }), retry: { sleep: async () => undefined } },
});
const tools = toolset(['think', 'finish'], registries.tools);
const day = 86_400_000;

test('a conversation continues after a restart without an agent, with byte-identical requests', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await writeFile(join(root.path, 'AGENTS.md'), 'Use tabs.');
  await using server = await scriptedServer([think('a'), think('b'), { error: { code: 'unavailable' } }, done], {
    apiKey,
  });
  const { files } = await readProjectContext(root.path);
  const agent = defineAgent({
    model: functionCalling()(retry({ attempts: 2 })(openaiChat({ model: 'm', baseUrl: server.url, apiKey }))),
    tools,
    prompt: presetPrompt('minimal', { files }),
    condenser: rollingWindow({ maxEvents: 50 }),
    confirmation: alwaysConfirm(),
    concurrency: 2,
    parameters: { temperature: 0.25 },
    budget: { maxIterations: 30 },
  });
  const store = memoryStore();
  const start = 1_780_000_000_000;
  let id = '';
  {
    await using conversation = await Conversation.create({ agent, store, workspace: root.path, now: () => start });
    ({ id } = conversation);
    await conversation.send('Go.');
    expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason: 'max-iterations' });
  }
  // Another day, other files: the prompt is that of the log.
  await writeFile(join(root.path, 'AGENTS.md'), 'Use spaces.');
  {
    await using again = await Conversation.open({ store, id, registries, now: () => start + day });
    expect(await again.run({ maxIterations: 1 })).toMatchObject({ reason: 'max-iterations' });
  }
  const missing: MissingPart[] = [];
  const onMissing = (parts: readonly MissingPart[]) => missing.push(...parts);
  await using third = await Conversation.open({ store, id, registries, onMissing, now: () => start + 2 * day });
  expect(await third.run()).toMatchObject({ reason: 'finished' });
  expect(missing).toEqual([]);
  const [first, second, failed, last] = server.requests.map(({ text }) => text);
  expect(first).toContain('Use tabs.');
  expect(last).toBe(failed);
  // The messages are the last field: a request is the beginning of the next one, up to the end of its list.
  expect(second?.startsWith(first?.slice(0, -2) ?? '-')).toBe(true);
  expect(last?.startsWith(second?.slice(0, -2) ?? '-')).toBe(true);
  expect(last).not.toContain('spaces');
  expect((await store.summary(id)).meta).toMatchObject({ agent: JSON.parse(JSON.stringify(agent.spec)) as object });
});

test('a conversation whose agent cannot be rebuilt names its essential parts', async () => {
  const store = memoryStore();
  const agent = defineAgent({ model: scriptedModel([]), tools });
  const { id } = await closed(await Conversation.create({ agent, store, workspace: process.cwd() }));
  await expect(Conversation.open({ store, id })).rejects.toMatchObject({
    code: 'not-rebuilt',
    message: expect.stringContaining('model (scripted): no part of this kind is registered.') as string,
  });
});

test('tools of the application are still required, unless it accepts that they are missing', async () => {
  await using server = await scriptedServer([done, done]);
  const store = memoryStore();
  const { tool } = countingTool();
  const model = openaiChat({ model: 'm', baseUrl: server.url, apiKey });
  const agent = defineAgent({ model, tools: () => [tool(), finish()] });
  let id = '';
  {
    await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
    ({ id } = conversation);
    await conversation.send('Go.');
    await conversation.run();
    await conversation.send('Again.');
  }
  await expect(Conversation.open({ store, id, registries })).rejects.toMatchObject({ code: 'tools-missing' });
  const missing: MissingPart[] = [];
  const accepting = {
    missingTools: 'accept',
    onMissing: (parts: readonly MissingPart[]) => missing.push(...parts),
  } as const;
  await using opened = await Conversation.open({ store, id, registries, ...accepting });
  expect(await opened.run()).toMatchObject({ reason: 'finished' });
  expect(missing).toMatchObject([{ path: 'tools.0', kind: 'record' }]);
});

test('an imported conversation brings no agent', async () => {
  const store = memoryStore();
  const agent = defineAgent({ model: openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:9', apiKey }), tools });
  const { id } = await closed(await Conversation.create({ agent, store, workspace: process.cwd() }), 'Go.');
  const target = memoryStore();
  await Conversation.import(exportBundle(await store.read(id), await store.summary(id)), { store: target });
  await expect(Conversation.open({ store: target, id, registries, workspace: process.cwd() })).rejects.toMatchObject({
    code: 'not-rebuilt',
    message: expect.stringContaining('has no stored agent') as string,
  });
});

test('a conversation of the reference continues with its own model, and a key is sent to no address of its choice', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using server = await scriptedServer([done]);
  const id = 'b'.repeat(32);
  const state = (address: string) => ({
    id,
    agent: {
      llm: { model: 'openai/gpt-4o', base_url: address, num_retries: 1, api_key: '**********' },
      tools: [{ name: 'terminal', params: {} }],
      include_default_tools: ['FinishTool', 'ThinkTool'],
      kind: 'Agent',
    },
    workspace: { working_dir: root.path, kind: 'LocalWorkspace' },
    confirmation_policy: { kind: 'NeverConfirm' },
    execution_status: 'idle',
  });
  await mkdir(join(root.path, id, 'events'), { recursive: true });
  const write = async (address: string) =>
    writeFile(join(root.path, id, 'base_state.json'), JSON.stringify(state(address)));
  await write(server.url);
  await using store = await directoryStore({ path: root.path });
  const keys = { OPENAI_API_KEY: apiKey };
  const options = { store, id, workspace: root.path, registries: agentRegistries({ models: { keys } }) };
  {
    await using conversation = await Conversation.open(options);
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
    expect(conversation.request().tools.map(({ name }) => name)).toEqual(['terminal', 'finish', 'think']);
  }
  expect(server.requests.map(({ headers }) => headers['authorization'])).not.toContain(`Bearer ${apiKey}`);
  await mkdir(join(root.path, 'c'.repeat(32), 'events'), { recursive: true });
  const evil = { ...state('https://evil.example/v1'), id: 'c'.repeat(32) };
  await writeFile(join(root.path, 'c'.repeat(32), 'base_state.json'), JSON.stringify(evil));
  await expect(Conversation.open({ ...options, id: 'c'.repeat(32) })).rejects.toThrow(
    'No API key for https://evil.example',
  );
});

test('the tools of a preset are rebuilt for each conversation', async () => {
  const store = memoryStore();
  const model = openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:9', apiKey });
  const agent = defineAgent({ model, tools: toolset(toolPresets.default, registries.tools) });
  const { id } = await closed(await Conversation.create({ agent, store, workspace: process.cwd() }));
  await using opened = await Conversation.open({ store, id, registries });
  expect(opened.request().tools.map(({ name }) => name)).toEqual(toolPresets.default);
});

/** Sends a message, if there is one, and closes the conversation. */
async function closed(conversation: Conversation, message?: string): Promise<{ readonly id: string }> {
  await using open = conversation;
  if (message !== undefined) await open.send(message);
  return { id: open.id };
}
