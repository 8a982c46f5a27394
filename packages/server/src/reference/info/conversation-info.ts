import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { executionStatuses } from '@varve/events/projections';

const tokens = lazy(() =>
  z.object({
    model: z.string(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cache_read_tokens: z.int(),
    cache_write_tokens: z.int(),
    reasoning_tokens: z.int(),
    /** Tokens; 0 if unknown. */
    context_window: z.int(),
    /** Tokens of the last call, in and out. */
    per_turn_token: z.int(),
    response_id: z.string(),
  }),
);

/** Usage of one model. @see agent-server 1.43.1 OpenAPI, Metrics */
const metrics = lazy(() =>
  z.object({
    model_name: z.string(),
    /** US dollars. */
    accumulated_cost: z.number(),
    max_budget_per_task: z.number().nullable(),
    accumulated_token_usage: tokens(),
    /** Empty lists: single calls are in the log. */
    costs: z.array(z.unknown()),
    response_latencies: z.array(z.unknown()),
    token_usages: z.array(z.unknown()),
  }),
);
export type Metrics = z.output<ReturnType<typeof metrics>>;

/** Required fields of an agent. */
const agent = lazy(() => z.looseObject({ llm: z.looseObject({ model: z.string() }), kind: z.string() }));
export type AgentJson = z.output<ReturnType<typeof agent>>;

const texts = lazy(() => z.record(z.string(), z.string()));
const anything = lazy(() => z.record(z.string(), z.unknown()));
const named = lazy(() => z.looseObject({ kind: z.string() }));
const id = lazy(() => z.guid());
const instant = lazy(() => z.iso.datetime({ precision: 6 }));

/** Execution status of a conversation. @see agent-server 1.43.1 OpenAPI, ConversationExecutionStatus */
export const executionStatus = lazy(() => z.enum(executionStatuses).openapi('ConversationExecutionStatus'));

/** Fields that the configuration or the log may contain; each has a default. */
export const configurableFields = lazy(
  () =>
    ({
      max_iterations: z.int().positive(),
      stuck_detection: z.boolean(),
      confirmation_policy: named(),
      security_analyzer: named().nullable(),
      activated_knowledge_skills: z.array(z.string()),
      invoked_skills: z.array(z.string()),
      blocked_actions: texts(),
      blocked_messages: texts(),
      agent_state: anything(),
      hook_config: anything().nullable(),
      forked_from_conversation_id: id().nullable(),
      forked_from_event_id: z.string().nullable(),
      parent_conversation_id: id().nullable(),
      tags: texts(),
      client_tools: z.array(anything()),
    }) as const,
);

/**
 * Info of a conversation. Nulls are sent; secrets never are. Instants are UTC with microseconds.
 *
 * @see agent-server 1.43.1 OpenAPI, ConversationInfo
 */
export const conversationInfo = lazy(() =>
  z
    .object({
      id: id(),
      workspace: z.object({ working_dir: z.string(), kind: z.literal('LocalWorkspace') }),
      persistence_dir: z.string().nullable(),
      ...configurableFields(),
      execution_status: executionStatus(),
      last_user_message_id: z.string().nullable(),
      leaf_event_id: z.string().nullable(),
      stats: z.object({ usage_to_metrics: z.record(z.string(), metrics()) }),
      secret_registry: z.object({ secret_sources: anything() }),
      title: z.string().nullable(),
      metrics: z.null(),
      created_at: instant(),
      updated_at: instant(),
      sub_conversation_ids: z.array(id()),
      current_model_id: z.string().nullable(),
      available_models: z.array(anything()),
      supports_runtime_model_switch: z.boolean(),
      launched_agent_profile: anything().nullable(),
      agent: agent(),
    })
    .openapi('ConversationInfo'),
);
export type ConversationInfo = z.output<ReturnType<typeof conversationInfo>>;
