import assert from 'node:assert/strict';
import { inOrder, noCondensation, rollingWindow } from '@varve/condensers';
import type { Json } from '@varve/events';
import { definePartKind } from '@varve/events/specs';
import { functionCalling, openaiChat, retry } from '@varve/llm';
import { routeCalls } from '@varve/llm/wrappers';
import { redactor } from '@varve/text';
import { toolPresets } from '@varve/tools';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent, type AgentOptions } from '../agent/agent.ts';
import { AgentError } from '../error.ts';
import { alwaysConfirm, confirmRisky } from '../index.ts';
import { presetPrompt } from './index.ts';
import { ensembleRisk, modelRisk, shellRisk } from '../confirmation/index.ts';
import { agentFromSpec, requireAgent } from './agent-from-spec.ts';
import { agentRegistries } from './agent-registries.ts';
import { toolset } from '../agent/toolset.ts';

const registries = agentRegistries({ models: { keys: {} } });
const local = openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1' });
const tools = toolset(toolPresets.minimal, registries.tools);
const context = {
  conversationId: 'c',
  mask: <Value>(value: Value) => value,
  redactor: redactor([], { replacement: '' }),
};

const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

test.for<[string, Partial<AgentOptions>]>([
  ['only defaults', {}],
  ['a chain of wrappers', { model: functionCalling()(retry({ attempts: 2 })(routeCalls([local, retry()(local)]))) }],
  ['a condenser in another', { condenser: inOrder([noCondensation(), rollingWindow({ maxEvents: 20 })]) }],
  ['a policy', { confirmation: alwaysConfirm() }],
  ['an analyzer', { confirmation: confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk()]) }) }],
  ['a preset prompt', { prompt: presetPrompt('planning', { suffix: 'Answer in French.' }) }],
  ['a prompt of text', { prompt: 'You are a tester.' }],
  ['limits', { budget: { maxCostUsd: 2, maxMs: 1000 }, stuck: 'never', concurrency: 3, textReply: 'wait' }],
  ['parameters', { parameters: { temperature: 0.5, stop: ['x'] }, stuck: { monologue: 2 } }],
  ['tools with options', { tools: toolset([{ name: 'terminal', params: { maxOutputChars: 5 } }], registries.tools) }],
  ['no tools', { tools: toolset([], registries.tools) }],
])('an agent with %s is rebuilt with the same spec', ([, options]) => {
  const agent = defineAgent({ model: local, tools, ...options });
  const { agent: again, missing } = agentFromSpec(plain(agent.spec), { registries });
  expect(missing).toEqual([]);
  expect(plain(again?.spec)).toEqual(plain(agent.spec));
  expect(again?.tools(context).map(({ name }) => name)).toEqual(agent.tools(context).map(({ name }) => name));
});

test('parts of the application are rebuilt from its kinds, and named without them', () => {
  const forgetful = { ...noCondensation(), spec: { kind: 'forgetful', share: 0.5 } };
  const spec = plain(defineAgent({ model: local, tools, condenser: forgetful }).spec);
  const { agent, missing } = agentFromSpec(spec, { registries });
  expect(missing).toMatchObject([{ path: 'condenser', kind: 'forgetful', isEssential: false }]);
  expect(agent?.condenser.spec).toEqual({ kind: 'no-condensation' });
  const mine = definePartKind({
    kind: 'forgetful',
    options: () => z.object({ share: z.number() }),
    create: () => forgetful,
  });
  const extended = { ...registries, condensers: [...registries.condensers, mine] };
  expect(agentFromSpec(spec, { registries: extended }).agent?.condenser).toBe(forgetful);
});

test('without its model, its policy, its budget or its tools no agent is returned', () => {
  const spec = plain(defineAgent({ model: local, tools }).spec) as Readonly<Record<string, Json>>;
  const broken: readonly (readonly [field: string, value: Json])[] = [
    ['model', { kind: 'scripted' }],
    ['confirmation_policy', { kind: 'Mine' }],
    ['budget', { maxIterations: 'all' }],
    ['budget', { maxOfNewerVersion: 3 }],
    ['tools', 'terminal'],
  ];
  for (const [field, value] of broken) {
    const rebuilt = agentFromSpec({ ...spec, [field]: value }, { registries });
    expect(rebuilt).toMatchObject({ missing: [{ isEssential: true }] });
    expect(rebuilt.agent).toBeUndefined();
    expect(() => requireAgent(rebuilt, 'conversation c')).toThrow(new RegExp(`conversation c cannot .*${field}`));
  }
  const replaced = agentFromSpec({ ...spec, model: { kind: 'scripted' } }, { registries, replace: { model: local } });
  expect(replaced).toMatchObject({ agent: { model: local }, missing: [] });
});

test('a tool that is not registered is named, and the others are rebuilt', () => {
  const spec = plain(defineAgent({ model: local, tools }).spec) as { readonly tools: readonly Json[] };
  const stored = { ...spec, tools: [{ name: 'browser_tool_set', params: {} }, ...spec.tools] };
  const { agent, missing } = agentFromSpec(stored, { registries });
  expect(missing).toMatchObject([{ path: 'tools.0', kind: 'browser_tool_set', isEssential: false }]);
  expect(agent?.tools(context).map(({ name }) => name)).toEqual(toolPresets.minimal);
});

const referenceAgent = {
  llm: { model: 'openai/gpt-4o', api_key: 'sk-0123456789', base_url: 'http://127.0.0.1:1/v1', num_retries: 2 },
  tools: [
    { name: 'terminal', params: { no_change_timeout_seconds: 1.5, shell_path: '/tmp/evil' } },
    { name: 'file_editor', params: {} },
  ],
  mcp_config: {},
  include_default_tools: ['FinishTool', 'ThinkTool'],
  agent_context: { skills: [], system_message_suffix: 'Be brief.', load_user_skills: false },
  system_prompt_filename: 'system_prompt.j2',
  security_policy_filename: 'security_policy.j2',
  system_prompt_kwargs: { llm_security_analyzer: true },
  condenser: null,
  tool_concurrency_limit: 2,
  kind: 'Agent',
};

test('an agent of the reference is rebuilt, and what has no counterpart is named', () => {
  const { agent, missing } = agentFromSpec(
    {
      agent: { ...referenceAgent, mcp_config: { fetch: { command: 'uvx' } }, critic: { kind: 'Critic' } },
      confirmation_policy: { kind: 'ConfirmRisky', threshold: 'MEDIUM', confirm_unknown: true },
      security_analyzer: { kind: 'LLMSecurityAnalyzer' },
      max_iterations: 7,
      stuck_detection: false,
    },
    { registries },
  );
  expect(missing.map(({ path }) => path).toSorted()).toEqual(['critic', 'mcp_config', 'tools.0.shell_path']);
  expect(agent).toMatchObject({ concurrency: 2, stuck: 'never', budget: { maxIterations: 7 } });
  expect(agent?.tools(context).map(({ name }) => name)).toEqual(['terminal', 'file_editor', 'finish', 'think']);
  expect(agent?.spec).toMatchObject({
    confirmation_policy: { kind: 'ConfirmRisky', threshold: 'MEDIUM' },
    security_analyzer: { kind: 'LLMSecurityAnalyzer' },
    prompt: { kind: 'preset', preset: 'default', suffix: 'Be brief.' },
    model: { kind: 'function-calling', model: { kind: 'retry', attempts: 2 } },
    tools: [{ name: 'terminal', params: { noChangeTimeoutMs: 1500 } }, {}, {}, {}],
  });
  expect(JSON.stringify(agent?.spec)).not.toContain('sk-');
  // The rebuilt agent is one of varve: its spec is stable.
  expect(plain(agentFromSpec(plain(agent?.spec), { registries }).agent?.spec)).toEqual(plain(agent?.spec));
});

test('a planning agent of the reference and one with its own prompt are rebuilt', () => {
  const planning = { ...referenceAgent, system_prompt_filename: 'system_prompt_planning.j2' };
  expect(agentFromSpec(planning, { registries }).agent?.spec).toMatchObject({ prompt: { preset: 'planning' } });
  const agentSpec = { ...referenceAgent, system_prompt: 'You test.' };
  expect(agentFromSpec(agentSpec, { registries }).agent?.spec).toMatchObject({
    prompt: { kind: 'text', text: 'You test.' },
  });
});

test.for([5, null, [], {}, { kind: 'Agent' }, { model: 1, kind: 'ACPAgent' }])('%j describes no agent', (spec) => {
  expect(() => agentFromSpec(spec, { registries })).toThrow(AgentError);
});

test('any JSON in any field leads to an agent or to named problems', () => {
  const spec = plain(defineAgent({ model: local, tools }).spec) as Readonly<Record<string, Json>>;
  const names = [...Object.keys(spec).filter((name) => name !== 'kind'), 'security_analyzer', 'llm', 'agent'];
  const check = (name: string, value: Json): void => {
    try {
      const { agent, missing } = agentFromSpec({ ...spec, [name]: value }, { registries });
      assert.ok(agent ?? missing.some(({ isEssential }) => isEssential));
      assert.ok(missing.every(({ reason }) => reason.endsWith('.')));
      if (agent)
        assert.deepEqual(plain(agentFromSpec(plain(agent.spec), { registries }).agent?.spec), plain(agent.spec));
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
    }
  };
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }), (name, value) => check(name, value as Json)),
    { numRuns: 100 },
  );
});
