import { z } from '@hono/zod-openapi';
import type { AgentJson } from './conversation-info.ts';
import { withoutSecrets } from './without-secrets.ts';

/** What an agent is told from. */
export interface AgentJsonOptions {
  /** What the conversation was configured with: the reference's JSON of an agent, or the spec of one of ours. */
  readonly told: unknown;
  /** Names of the tools that models were offered; empty before the first call. */
  readonly tools: readonly string[];
  readonly includeSkills: boolean;
}

/** Tools that the reference lists apart from all others. */
const defaultTools: Readonly<Record<string, string>> = { finish: 'FinishTool', think: 'ThinkTool' };

const foreign = z.looseObject({ llm: z.looseObject({ model: z.string() }) });
const spec = z.object({ model: z.unknown() });
const baseUrl = z.string().nullable().catch(null);
const named = z.union([
  z.object({ model: z.string(), baseUrl }),
  z.object({ name: z.string(), baseUrl }).transform(({ name, ...rest }) => ({ model: name, ...rest })),
]);
const wrapper = z.object({ model: z.looseObject({}) });

/** The agent of a conversation as the reference writes one, without secrets. */
export function agentJson({ told, tools, includeSkills }: AgentJsonOptions): AgentJson {
  const known = foreign.safeParse(told);
  return known.success ? cleaned(known.data, includeSkills) : ofSpec(told, tools);
}

/** Skills can be hundreds of kilobytes, so they are sent to those who ask for them. */
function cleaned(told: z.output<typeof foreign>, includeSkills: boolean): AgentJson {
  const agent = { kind: 'Agent', ...withoutSecrets(told) } as AgentJson;
  const { agent_context: context } = agent;
  const hasSkills = typeof context === 'object' && context !== null && 'skills' in context;
  return hasSkills && !includeSkills ? { ...agent, agent_context: { ...context, skills: [] } } : agent;
}

function ofSpec(told: unknown, tools: readonly string[]): AgentJson {
  const { model, baseUrl: base_url } = modelOf(spec.safeParse(told).data?.model);
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

/** Looks through wrappers such as retry, each of which holds the spec of the model it wraps. */
function modelOf(told: unknown): z.output<typeof named> {
  const wrapped = wrapper.safeParse(told);
  if (wrapped.success) return modelOf(wrapped.data.model);
  return named.safeParse(told).data ?? { model: 'unknown', baseUrl: null };
}
