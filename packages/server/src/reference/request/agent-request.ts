import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';

const nullable = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

/**
 * Model of a request. Only these fields are checked here: others select options of the adapter, or have no counterpart.
 *
 * @see agent-server 1.43.1 OpenAPI, LLM
 */
export const llmRequest = lazy(() =>
  z.looseObject({
    model: z.string().min(1).default('gpt-5.5'),
    api_key: nullable(z.string()),
    base_url: nullable(z.string()),
    usage_id: z.string().default('default'),
    stream: nullable(z.boolean()),
  }),
);

const toolRequest = lazy(() =>
  z.looseObject({ name: z.string(), params: z.record(z.string(), z.unknown()).default({}) }),
);
const condenserRequest = lazy(() => z.looseObject({ kind: z.string() }));
const contextRequest = lazy(() => z.looseObject({ system_message_suffix: nullable(z.string()) }));

/** Agent of a request. @see agent-server 1.43.1 OpenAPI, AgentBase */
export const agentRequest = lazy(() =>
  z.looseObject({
    kind: z.literal('Agent').default('Agent'),
    llm: llmRequest(),
    tools: nullable(z.array(toolRequest())),
    include_default_tools: z.array(z.string()).default(['FinishTool', 'ThinkTool']),
    agent_context: nullable(contextRequest()),
    condenser: nullable(condenserRequest()),
    tool_concurrency_limit: z.int().positive().default(1),
  }),
);
export type AgentRequest = z.output<ReturnType<typeof agentRequest>>;

/** Settings of an agent, as the Agent Canvas sends them. @see agent-server 1.43.1 OpenAPI, OpenHandsAgentSettings */
export const agentSettings = lazy(() =>
  z.looseObject({
    agent_kind: z.literal('openhands').default('openhands'),
    llm: llmRequest(),
    tools: nullable(z.array(toolRequest())),
    enable_sub_agents: z.boolean().default(false),
    enable_switch_llm_tool: z.boolean().default(true),
    tool_concurrency_limit: z.int().positive().default(1),
    mcp_config: nullable(z.record(z.string(), z.unknown())),
    agent_context: nullable(contextRequest()),
    condenser: nullable(
      z.looseObject({
        enabled: z.boolean().default(true),
        max_size: nullable(z.int().positive()),
        max_tokens: nullable(z.int().positive()),
        keep_first: nullable(z.int().nonnegative()),
      }),
    ),
  }),
);
export type AgentSettingsRequest = z.output<ReturnType<typeof agentSettings>>;

/** Tools of an agent that lists none. */
const usualTools = ['terminal', 'file_editor', 'task_tracker'].map((name) => ({ name, params: {} }));

/** Adds the tool that starts sub-agents, under the name of the reference. */
function withSubAgents(tools: NonNullable<AgentRequest['tools']>): NonNullable<AgentRequest['tools']> {
  const isListed = tools.some(({ name }) => /^(?:task|task_tool_set|TaskToolSet|TaskTool)$/.test(name));
  return isListed ? tools : [...tools, { name: 'task_tool_set', params: {} }];
}

/**
 * Returns the agent that settings describe.
 *
 * @see agent-server 1.43.1, which creates the same agent from `agent_settings`
 */
export function agentOfSettings(settings: AgentSettingsRequest): AgentRequest {
  const { llm, condenser, mcp_config, agent_context, tool_concurrency_limit } = settings;
  const tools = settings.enable_sub_agents ? withSubAgents(settings.tools ?? usualTools) : settings.tools;
  const limits = Object.entries({
    max_size: condenser?.max_size,
    max_tokens: condenser?.max_tokens,
    keep_first: condenser?.keep_first,
  }).filter(([, value]) => value !== undefined && value !== null);
  return {
    kind: 'Agent',
    llm,
    tools,
    mcp_config,
    include_default_tools: ['FinishTool', 'ThinkTool', ...(settings.enable_switch_llm_tool ? ['SwitchLLMTool'] : [])],
    agent_context,
    condenser:
      condenser?.enabled === false
        ? null
        : { kind: 'LLMSummarizingCondenser', llm: { ...llm, usage_id: 'condenser' }, ...Object.fromEntries(limits) },
    tool_concurrency_limit,
  };
}

/** Returns the JSON of an agent with the fields that the reference's records of it always have. */
export function completeAgent({ tools, ...agent }: AgentRequest): Readonly<Record<string, unknown>> {
  return {
    mcp_config: {},
    filter_tools_regex: null,
    system_prompt: null,
    system_prompt_filename: 'system_prompt.j2',
    security_policy_filename: 'security_policy.j2',
    system_prompt_kwargs: { llm_security_analyzer: true },
    critic: null,
    ...agent,
    tools: tools ?? usualTools,
    agent_context: agent.agent_context ?? null,
    condenser: agent.condenser ?? null,
    kind: 'Agent',
  };
}
