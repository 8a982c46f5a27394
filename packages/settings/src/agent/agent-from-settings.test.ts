import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, type Agent, type ToolsContext } from '@varve/agent';
import { textOf } from '@varve/events';
import type { SubAgent } from '@varve/agent/delegation';
import { scriptedModel } from '@varve/llm/testing';
import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import { resolveSettings, type Settings } from '../layers/resolve-settings.ts';
import { agentFromSettings, type AgentSetup } from './agent-from-settings.ts';

async function settingsOf(
  user: unknown,
  flags: Parameters<typeof resolveSettings>[0]['flags'] = [],
): Promise<Settings> {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  await writeFile(join(home, 'config.json'), JSON.stringify(user));
  return resolveSettings({ home, env: {}, flags });
}

async function agentOf(user: unknown, setup: Partial<AgentSetup> = {}): Promise<Agent> {
  const settings = setup.settings ?? (await settingsOf(user));
  return agentFromSettings({
    settings,
    model: scriptedModel([]),
    home: 'nowhere',
    env: {},
    keepsHistory: false,
    ...setup,
  });
}

async function toolsOf(user: unknown): Promise<readonly string[]> {
  const context: ToolsContext = {
    conversationId: 'c',
    mask: (text) => text,
    redactor: redactor([], { replacement: '***' }),
  };
  return (await agentOf(user)).tools(context).map(({ name }) => name);
}

test('presets, added and removed tools decide what the model is offered', async () => {
  expect(await toolsOf({})).toEqual(['terminal', 'file_editor', 'task_tracker', 'think', 'finish']);
  expect(await toolsOf({ tools: { preset: 'planning' } })).toEqual([
    'glob',
    'grep',
    'planning_file_editor',
    'think',
    'finish',
  ]);
  const tools = { preset: 'minimal', add: ['apply_patch', 'grep', 'glob'], remove: ['file_editor'] };
  expect(await toolsOf({ tools })).toEqual(['terminal', 'apply_patch', 'grep', 'glob', 'finish']);
  await expect(toolsOf({ tools: { add: ['grp'] } })).rejects.toThrow('There is no tool "grp"; the nearest is "grep".');
});

test('a conversation reads what another one of its workspace wrote into the memory that a setting adds', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const user = { tools: { preset: 'minimal', add: ['memory'] }, confirmation: { policy: 'never' } };
  const resultIn = async (workspace: string, call: object): Promise<string> => {
    const model = scriptedModel([{ calls: [{ name: 'memory', arguments: { ...call } }] }, { text: 'Done.' }]);
    const { tools: made, confirmation } = await agentOf(user, { home });
    await using agent = createAgent({ model, tools: made, confirmation, workspace });
    expect(await agent.run('Go.')).toMatchObject({ reason: 'finished' });
    const { messages, tools } = (await agent.conversation()).request();
    expect(tools.find(({ name }) => name === 'memory')?.description).toContain('before you begin with a task');
    return textOf(messages.find(({ role }) => role === 'tool')?.content ?? []);
  };
  const fact = { command: 'create', path: '/memories/facts.md', file_text: 'The tests need Redis.' };
  expect(await resultIn('/', fact)).toContain('created');
  expect(await resultIn('/', { command: 'view', path: fact.path })).toContain('The tests need Redis.');
  expect(await resultIn('/tmp', { command: 'view' })).toBe('The memory is empty.');
});

test('a list of tools takes the place of the preset, in the names of the reference too', async () => {
  expect(await toolsOf({ tools: { only: ['TerminalTool', 'grep'], add: ['glob'] } })).toEqual([
    'terminal',
    'grep',
    'glob',
  ]);
});

test('options of tools are in the spec of the agent, and those without an effect are named', async () => {
  const problems: string[] = [];
  const options = { FileEditorTool: { maxViewChars: 100 }, terminal: { shell: '/bin/evil' }, glob: { maxFiles: 3 } };
  const onIgnoredOption = (problem: string) => problems.push(problem);
  const agent = await agentOf({ tools: { preset: 'minimal', options } }, { onIgnoredOption });
  expect(agent.spec).toMatchObject({
    tools: [{ name: 'terminal' }, { name: 'file_editor', params: { maxViewChars: 100 } }, { name: 'finish' }],
  });
  expect(problems).toEqual([
    'tools.options: the agent has no tool "glob".',
    'tools.options: shell of terminal has no effect.',
  ]);
  const wrong = { tools: { options: { file_editor: { maxViewChars: 'x' } } } };
  await expect(agentOf(wrong)).rejects.toMatchObject({ code: 'invalid' });
});

test('limits, rules, concurrency, text replies and the condenser are those of the settings', async () => {
  const agent = await agentOf({
    budget: { steps: 9, cost_usd: 1.5, tokens: 1000, calls: 7, seconds: 2.5 },
    stuck: { repeated_errors: 2, window: 'conversation', outputs: 'exit-codes' },
    concurrency: 3,
    text_reply: 'wait',
    condenser: { kind: 'rolling-window', max_events: 50, options: { keepFirst: 4 } },
    confirmation: { policy: 'risky', threshold: 'MEDIUM', unknown: false },
  });
  expect(agent.budget).toEqual({ maxIterations: 9, maxCostUsd: 1.5, maxTokens: 1000, maxCalls: 7, maxMs: 2500 });
  expect(agent.stuck).toMatchObject({ repeatedErrors: 2, repeatedResults: 4 });
  expect(agent.stuck).toMatchObject({ window: 'conversation', outputs: 'exit-codes' });
  expect([agent.concurrency, agent.textReply]).toEqual([3, 'wait']);
  expect(agent.condenser.spec).toMatchObject({ kind: 'rolling-window', maxEvents: 50, keepFirst: 4 });
  expect(agent.confirmation.spec).toEqual({ kind: 'ConfirmRisky', threshold: 'MEDIUM', confirm_unknown: false });
  expect((await agentOf({ stuck: { detect: false } })).stuck).toBe('never');
  expect((await agentOf({ condenser: { kind: 'no-condensation' } })).condenser.spec).toEqual({
    kind: 'no-condensation',
  });
  await expect(agentOf({ condenser: { options: { keepFrst: 4 } } })).rejects.toMatchObject({ code: 'invalid' });
});

const policy = { kind: 'AlwaysConfirm' };
const limits = { budget: { maxIterations: 500 }, stuck: { repeatedResults: 4, window: 'conversation' } } as const;

test('a stored conversation keeps its policy and limits, unless a flag changes them', async () => {
  const user = { confirmation: { policy: 'never' }, budget: { steps: 3 }, stuck: { monologue: 9 } };
  const resumed = { policy, spec: limits };
  const [fresh, stored] = [await agentOf(user), await agentOf(user, { resumed })];
  expect([fresh.confirmation.spec, fresh.budget.maxIterations]).toEqual([{ kind: 'NeverConfirm' }, 3]);
  // The defaults are recognized by identity when a conversation is opened.
  const none = await agentOf({}, { resumed });
  expect([stored.confirmation, stored.budget, stored.stuck]).toEqual([
    none.confirmation,
    { maxIterations: 500 },
    none.stuck,
  ]);
  const flags = [
    { key: 'confirmation.policy', value: 'always', flag: '--confirm' },
    { key: 'budget.calls', value: 7, flag: '--set' },
    { key: 'stuck.alternating', value: 8, flag: '--set' },
  ] as const;
  const changed = await agentOf({}, { resumed, settings: await settingsOf(user, flags) });
  expect(changed.confirmation.spec).toEqual({ kind: 'AlwaysConfirm' });
  expect(changed.budget).toEqual({ maxIterations: 500, maxCalls: 7 });
  expect(changed.stuck).toMatchObject({ alternating: 8, monologue: 3, window: 'conversation' });
});

test.for([
  { budget: { steps: 9 } },
  { budget: { cost_usd: 1.5, tokens: 1000, calls: 7, seconds: 2.5 } },
  { stuck: { repeated_errors: 2, overflows: 7 } },
  { stuck: { detect: false } },
  { confirmation: { policy: 'ask' } },
  {},
])('an imported conversation has the policy, limits and stuck rules of a new one: %j', async (user) => {
  const imported = await agentOf(user, { resumed: {} });
  expect(imported.spec).toEqual((await agentOf(user)).spec);
});

test('stored limits that cannot be read are those of the settings', async () => {
  for (const spec of [null, 'x', {}, { budget: 7, stuck: [] }, { budget: null, stuck: true }]) {
    const agent = await agentOf({ budget: { calls: 7 } }, { resumed: { policy, spec } });
    expect([spec, agent.budget]).toEqual([spec, { maxIterations: 500, maxCalls: 7 }]);
  }
});

test('context files are in the prompt of the preset, and the spec lists the tools without the files', async () => {
  const contextFiles = [
    { path: '/srv/app/AGENTS.md', origin: 'repository', text: 'Use tabs.', bytes: 9, isCut: false },
  ] as const;
  const agent = await agentOf({ tools: { preset: 'planning' } }, { contextFiles });
  const { fixed, dynamic } = agent.prompt({ workspace: '/srv/app', platform: 'linux', today: '2026-01-31' });
  expect(fixed).toContain('You are a software engineer who plans');
  expect(dynamic).toContain('Use tabs.');
  expect(agent.spec).toMatchObject({
    prompt: { kind: 'preset', preset: 'planning' },
    tools: [{ name: 'glob' }, {}, {}, {}, {}],
  });
  expect(JSON.stringify(agent.spec)).not.toContain('Use tabs.');
});

test('an agent with a tool that starts sub-agents has the prepared ones, or the built-in ones', async () => {
  const reviewer: SubAgent = { name: 'reviewer', description: 'Reviews.', create: (parent) => parent };
  expect((await agentOf({}, { subAgents: [reviewer] })).subAgents).toEqual([]);
  const builtin = await agentOf({ tools: { add: ['delegate'] } });
  expect(builtin.subAgents.map(({ name }) => name)).toEqual(['general-purpose', 'code-explorer', 'bash-runner']);
  const agent = await agentOf({ tools: { add: ['task'] } }, { subAgents: [reviewer] });
  expect(agent.subAgents).toEqual([reviewer]);
  expect(agent.spec).toMatchObject({ tools: expect.arrayContaining([{ name: 'task', params: {} }]) as unknown });
});
