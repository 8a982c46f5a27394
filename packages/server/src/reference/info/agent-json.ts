import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { redactSecretFields } from '@varve/text';
import type { AgentJson } from './conversation-info.ts';

/** Input of `agentJson`. */
export interface AgentJsonOptions {
  /** Stored configuration: the reference's JSON of an agent, or the spec of a varve agent. */
  readonly configured: unknown;
  /** Names of the offered tools; empty before the first model call. */
  readonly tools: readonly string[];
  readonly includeSkills: boolean;
}

/** Tools that the reference lists separately. */
const defaultTools: Readonly<Record<string, string>> = { finish: 'FinishTool', think: 'ThinkTool' };

const foreign = lazy(() => z.looseObject({ llm: z.looseObject({ model: z.string() }) }));
const spec = lazy(() => z.object({ model: z.unknown() }));
const baseUrl = lazy(() => z.string().nullable().catch(null));
const named = lazy(() =>
  z.union([
    z.object({ model: z.string(), baseUrl: baseUrl() }),
    z.object({ name: z.string(), baseUrl: baseUrl() }).transform(({ name, ...rest }) => ({ model: name, ...rest })),
  ]),
);
const wrapper = lazy(() => z.object({ model: z.looseObject({}) }));

/**
 * Returns a copy of a configuration without its secrets.
 *
 * @see agent-server 1.43.1, which sends `api_key: null` and `**********` in the same places
 */
export function withoutSecrets(configuration: object): Record<string, unknown> {
  return redactSecretFields(configuration, '**********');
}

/** Returns the agent of a conversation in the reference's JSON, without secrets. */
export function agentJson({ configured, tools, includeSkills }: AgentJsonOptions): AgentJson {
  const known = foreign().safeParse(configured);
  return known.success ? cleaned(known.data, includeSkills) : ofSpec(configured, tools);
}

/** Removes secrets, and the skills unless requested: they can take hundreds of kilobytes. */
function cleaned(configured: z.output<ReturnType<typeof foreign>>, includeSkills: boolean): AgentJson {
  const agent = { kind: 'Agent', ...withoutSecrets(configured) } as AgentJson;
  const { agent_context: context } = agent;
  const hasSkills = typeof context === 'object' && context !== null && 'skills' in context;
  return hasSkills && !includeSkills ? { ...agent, agent_context: { ...context, skills: [] } } : agent;
}

function ofSpec(configured: unknown, tools: readonly string[]): AgentJson {
  const { model, baseUrl: base_url } = modelOf(spec().safeParse(configured).data?.model);
  const defaults = Object.entries(defaultTools).filter(([name]) => tools.length === 0 || tools.includes(name));
  return {
    llm: { model, api_key: null, base_url, usage_id: 'agent', is_subscription: false },
    tools: tools.filter((name) => !Object.hasOwn(defaultTools, name)).map((name) => ({ name, params: {} })),
    mcp_config: {},
    filter_tools_regex: null,
    include_default_tools: defaults.map(([, className]) => className),
    agent_context: null,
    system_prompt: null,
    condenser: null,
    critic: null,
    tool_concurrency_limit: 1,
    kind: 'Agent',
  };
}

/** Returns the innermost model: wrappers such as retry contain the spec of the wrapped model. */
function modelOf(configured: unknown): z.output<ReturnType<typeof named>> {
  const wrapped = wrapper().safeParse(configured);
  if (wrapped.success) return modelOf(wrapped.data.model);
  return named().safeParse(configured).data ?? { model: 'unknown', baseUrl: null };
}
