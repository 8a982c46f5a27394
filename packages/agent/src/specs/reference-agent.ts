import { lazy, type Json } from '@varve/events';
import type { SpecProblem } from '@varve/events/specs';
import * as z from 'zod';
import { isUnset, objectOf, type JsonObject } from './part-reader.ts';

/** Fields of an agent of the reference that are read here or change nothing. */
const known = new Set([
  'kind',
  'llm',
  'tools',
  'include_default_tools',
  'condenser',
  'tool_concurrency_limit',
  'system_prompt',
  'system_prompt_filename',
  'agent_context',
  // Rebuilt by the analyzer, which asks the model for its rating.
  'system_prompt_kwargs',
  'security_policy_filename',
]);

const tools = lazy(() =>
  z.array(z.looseObject({ name: z.string(), params: z.record(z.string(), z.json()).nullish() })),
);

/** Default tools of an agent of the reference, by class name. */
const defaultIncluded = ['FinishTool', 'ThinkTool'];

/**
 * Converts an agent of the reference to a spec of varve. The model stays as it is: models are rebuilt in both forms.
 * Fields without a counterpart are reported, unless they are empty.
 *
 * @see software-agent-sdk openhands/sdk/agent/base.py
 */
export function specFromReferenceAgent(agent: JsonObject, onIgnored: (problem: SpecProblem) => void): JsonObject {
  for (const [name, value] of Object.entries(agent)) {
    if (known.has(name) || isUnset(value)) continue;
    onIgnored({ path: name, kind: 'Agent', reason: 'this field of the reference is not supported, and is ignored.' });
  }
  return {
    model: agent['llm'] ?? null,
    ...(!isUnset(agent['condenser']) && { condenser: agent['condenser'] }),
    tools: toolsOf(agent),
    tool_concurrency_limit: agent['tool_concurrency_limit'] ?? 1,
    prompt: promptOf(agent, onIgnored),
    kind: 'Agent',
  };
}

function toolsOf(agent: JsonObject): Json {
  const { data } = tools().safeParse(agent['tools'] ?? []);
  if (!data) return agent['tools'] ?? null;
  const named = data.map(({ name, params }) => ({ name, params: paramsOf(params ?? {}) }));
  const included = agent['include_default_tools'] ?? defaultIncluded;
  const others = Array.isArray(included) ? included.filter((name) => typeof name === 'string') : [];
  return [...named, ...others.map((name) => ({ name, params: {} }))];
}

/** @see software-agent-sdk openhands/tools/terminal (seconds there, milliseconds here) */
function paramsOf({ no_change_timeout_seconds: seconds, ...params }: JsonObject): JsonObject {
  return typeof seconds === 'number' ? { noChangeTimeoutMs: Math.ceil(seconds * 1000), ...params } : params;
}

function promptOf(agent: JsonObject, onIgnored: (problem: SpecProblem) => void): Json {
  const { system_prompt: text, system_prompt_filename: file } = agent;
  const context = objectOf(agent['agent_context']) ?? {};
  for (const [name, value] of Object.entries(context)) {
    // The date is that of the new conversation.
    if (name === 'system_message_suffix' || name === 'current_datetime' || name === 'marketplace_path') continue;
    if (isUnset(value) || value === false) continue;
    const reason = 'this field of the reference is not supported, and is ignored.';
    onIgnored({ path: `agent_context.${name}`, kind: 'AgentContext', reason });
  }
  if (typeof text === 'string' && text !== '') return { kind: 'text', text };
  const isPlanning = file === 'system_prompt_planning.j2';
  if (!isUnset(file) && file !== 'system_prompt.j2' && !isPlanning) {
    const reason = 'templates of the reference are not rendered; the default prompt is used.';
    onIgnored({ path: 'system_prompt_filename', kind: 'Agent', reason });
  }
  const suffix = context['system_message_suffix'];
  return {
    kind: 'preset',
    preset: isPlanning ? 'planning' : 'default',
    ...(typeof suffix === 'string' && suffix !== '' && { suffix }),
  };
}
