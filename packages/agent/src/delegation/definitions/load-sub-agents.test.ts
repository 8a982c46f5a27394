import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedModel } from '@varve/llm/testing';
import { toolPresets } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../../agent/agent.ts';
import { alwaysConfirm, confirmRisky, neverConfirm, onlyReading } from '../../confirmation/policies.ts';
import { agentRegistries } from '../../specs/agent-registries.ts';
import { toolset } from '../../agent/toolset.ts';
import { defineSkill } from '@varve/skills';
import { inheritPolicies } from '../../conversation/resume-agent.ts';
import { loadSubAgents } from './load-sub-agents.ts';
import { subAgentOf, withBuiltinSubAgents } from './sub-agent-of.ts';

/** Returns a directory with these files. */
async function directory(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'varve-sub-agents-')));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, '.git'));
  for (const [path, content] of Object.entries(files)) {
    const parents = dirname(path).split('/');
    for (const [index] of parents.entries()) {
      await mkdir(join(root, ...parents.slice(0, index + 1))).catch(() => undefined);
    }
    await writeFile(join(root, path), content);
  }
  return root;
}

const file = (fields: string, body = 'Do it.'): string => `---\n${fields}\n---\n${body}\n`;

async function loaded(fields: string, path = '.varve/agents/one.md') {
  const workspace = await directory({ [path]: file(fields) });
  const { definitions, problems } = await loadSubAgents({ workspace });
  return { definition: definitions[0], problems: problems.map(({ line, message }) => ({ line, message })), workspace };
}

test('files of the workspace and the user are read, and the first with a name is used', async () => {
  const workspace = await directory({
    '.varve/agents/reviewer.md': file('description: Ours.'),
    '.openhands/agents/reviewer.md': file('description: Not used.'),
    '.openhands/agents/README.md': 'Not a sub-agent.',
    '.openhands/agents/deep/inner.md': 'Not read.',
    '.claude/agents/tester.md': file('name: tester\ndescription: Tests.'),
  });
  const home = await directory({
    '.varve/agents/reviewer.md': file('description: The user.'),
    '.agents/agents/writer.md': '\uFEFF---\r\ncolor: blue\r\n---\r\nWrite.',
  });
  const { definitions, problems } = await loadSubAgents({ workspace: join(workspace), home });
  expect(problems).toEqual([]);
  expect(definitions).toMatchObject([
    { name: 'reviewer', description: 'Ours.', scope: 'project', model: 'inherit', instructions: 'Do it.', limits: {} },
    { name: 'tester', description: 'Tests.', scope: 'project' },
    { name: 'writer', color: 'blue', scope: 'user', instructions: 'Write.' },
  ]);
});

test('every field of a file is read', async () => {
  const { definition, problems } = await loaded(`name: reviewer
description: Reviews. <example>After a change</example> Often. <example>Before a release</example>
model: fast.json
tools: [terminal, FileEditorTool, my_tool]
skills: a, b
permission_mode: confirm_risky
max_iteration_per_run: 30
max_budget_per_run: 0.5
max_minutes_per_run: 2.5
condenser: false
team: core`);
  expect(problems).toEqual([]);
  expect(definition).toMatchObject({
    name: 'reviewer',
    description: 'Reviews.  Often.',
    whenToUseExamples: ['After a change', 'Before a release'],
    model: 'fast',
    tools: ['terminal', 'file_editor', 'my_tool'],
    skills: ['a', 'b'],
    permissionMode: 'confirm_risky',
    limits: { maxIterations: 30, maxCostUsd: 0.5, maxMs: 150_000 },
    condenser: 'none',
    metadata: { team: 'core' },
  });
});

test('files of Claude Code are read with the names of its tools and models', async () => {
  const fields =
    'name: reviewer\nmodel: sonnet\nmaxTurns: 9\ntools: Read, Grep, Glob, Bash, WebFetch\npermissionMode: plan';
  const { definition, problems } = await loaded(fields, '.claude/agents/one.md');
  expect(definition).toMatchObject({
    model: 'inherit',
    tools: ['planning_file_editor', 'grep', 'glob', 'terminal'],
    limits: { maxIterations: 9 },
    metadata: { permissionMode: 'plan' },
  });
  expect(problems).toEqual([{ line: undefined, message: 'WebFetch has no effect in a sub-agent of varve.' }]);
});

test.for([
  ['name: x\npermission_mode: sometimes', 3, /^The field permission_mode is invalid/],
  ['name: x\ntools: 5', 3, /^The field tools is invalid/],
  ['description: y\nmax_iteration_per_run: 0', 3, /^The field max_iteration_per_run is invalid/],
  ['name: two words', 2, /^The name "two words" is not letters/],
  ['name: x\n  - y: [', 2, /^The front matter is not valid YAML/],
] as const)('%j is a problem of its line', async ([fields, line, message]) => {
  const { definition, problems } = await loaded(fields);
  expect(definition).toBeUndefined();
  expect(problems).toEqual([{ line, message: expect.stringMatching(message) as string }]);
});

test('files without instructions, too large ones, and links out of the workspace are problems', async () => {
  const outside = await directory({ 'secret.md': file('name: secret') });
  const workspace = await directory({
    '.varve/agents/empty.md': file('name: empty', ''),
    '.varve/agents/large.md': file('name: large', 'x'.repeat(129 * 1024)),
  });
  await symlink(join(outside, 'secret.md'), join(workspace, '.varve/agents/secret.md'));
  const { definitions, problems } = await loadSubAgents({ workspace });
  expect(definitions).toEqual([]);
  expect(problems).toHaveLength(3);
});

test('of a repository with any number of files, the first 100 are read', async () => {
  const files = Array.from({ length: 101 }, (_, index) => [`.varve/agents/a${index}.md`, '---\n']);
  const { problems } = await loadSubAgents({ workspace: await directory(Object.fromEntries(files)) });
  expect(problems).toHaveLength(101);
  expect(problems.at(-1)?.message).toBe('The repository has 101 files of sub-agents, of which the first 100 are read.');
});

test('servers of a file are left out until its exact text is trusted, and its hooks have no effect', async () => {
  const { definition, problems, workspace } = await loaded('mcp_servers: { search: { command: run } }\nhooks: {}');
  expect(definition).toMatchObject({ executes: true, isTrusted: false, mcpServers: {} });
  expect(problems).toEqual([{ line: undefined, message: 'hooks has no effect in a sub-agent of varve.' }]);
  const trusted = (digest: string) => digest === definition?.digest;
  const again = await loadSubAgents({ workspace, trusted });
  expect(again.definitions).toMatchObject([{ isTrusted: true, mcpServers: { search: { command: 'run' } } }]);
  await writeFile(join(workspace, '.varve/agents/one.md'), file('mcp_servers: { search: { command: other } }'));
  expect((await loadSubAgents({ workspace, trusted })).definitions).toMatchObject([
    { isTrusted: false, mcpServers: {} },
  ]);
});

const parentOf = (options: Partial<AgentOptions> = {}) =>
  defineAgent({
    model: scriptedModel([]),
    tools: toolset([...toolPresets.default, 'task'], agentRegistries().tools),
    ...options,
  });
const context = { toolNames: [...toolPresets.default, 'task'] };

async function created(fields: string, parent = parentOf(), path?: string) {
  const { definition } = await loaded(fields, path);
  if (!definition) throw new Error('It was not read.');
  const fast = scriptedModel([]);
  return {
    agent: subAgentOf(definition, { model: (name) => (name === 'fast' ? fast : undefined) }).create(parent, context),
    fast,
  };
}

test.for([
  ['name: x', ['terminal', 'file_editor', 'task_tracker', 'think', 'finish']],
  ['tools: terminal', ['terminal', 'finish']],
  ['tools: [task, grep]', ['task', 'grep', 'finish']],
  ['disallowedTools: terminal, think', ['file_editor', 'task_tracker', 'finish']],
] as const)('a file with %j has the tools %j', async ([fields, names]) => {
  const { agent } = await created(fields);
  expect(agent.spec).toMatchObject({ tools: names.map((name) => ({ name })) });
});

test('a file names a model and skills of its parent; its body follows the prompt of the parent', async () => {
  const skills = ['a', 'b'].map((name) => defineSkill({ name, content: name }));
  const { agent, fast } = await created('model: fast\nskills: b', parentOf({ skills, prompt: 'Be good.' }));
  expect([agent.model, agent.skills.map(({ name }) => name)]).toEqual([fast, ['b']]);
  const text = agent.prompt({ workspace: '/', platform: 'linux', today: '2026-01-31' });
  expect(text.fixed).toBe('Be good.');
  expect(text.dynamic).toMatch(/^You are a sub-agent[^]*\n\nDo it\.$/);
});

test.for([
  ['tools: apply_patch', 'There is no tool apply_patch. The tools are: '],
  ['model: slow', 'There is no model "slow".'],
  ['skills: c', 'There is no skill "c".'],
] as const)('a sub-agent with %j is not created', async ([fields, message]) => {
  await expect(created(fields)).rejects.toThrow(message);
});

test.for([
  ['never_confirm', neverConfirm(), 'NeverConfirm'],
  ['never_confirm', confirmRisky(), 'ConfirmRisky'],
  ['never_confirm', alwaysConfirm(), 'AlwaysConfirm'],
  ['confirm_risky', neverConfirm(), 'ConfirmRisky'],
  ['confirm_risky', alwaysConfirm(), 'AlwaysConfirm'],
  ['always_confirm', confirmRisky(), 'AlwaysConfirm'],
  ['always_confirm', onlyReading(), 'OnlyReading'],
] as const)('with %s and the policy %j of its parent, the stricter one applies', async ([mode, confirmation, kind]) => {
  const parent = parentOf({ confirmation });
  const { agent } = await created(`permission_mode: ${mode}`, parent);
  expect(inheritPolicies(agent, parent).policy.spec).toMatchObject({ kind });
});

test('a file replaces the built-in sub-agent with its name', async () => {
  const { definition } = await loaded('name: general-purpose\ndescription: Mine.');
  const agents = withBuiltinSubAgents(definition ? [subAgentOf(definition)] : []);
  expect(agents.map(({ name }) => name)).toEqual(['general-purpose', 'code-explorer', 'bash-runner']);
  expect(agents[0]?.description).toBe('Mine.');
});
