import { evidenceOf } from '@varve/agent/replay';
import type { Summary } from '@varve/storage';
import { type ConversationInfo, configurableFields, type Metrics } from './conversation-info.ts';
import { type ConversationSources, type ConversationFold, shownUsage } from './conversation-folds.ts';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { Usage } from '@varve/events/projections';
import { dashedId } from './conversation-id.ts';
import { agentJson, withoutSecrets } from './agent-json.ts';
import { type LastCall, storedConfiguration } from './logged-configuration.ts';

/** Options of `conversationInfoOf`. */
export interface InfoOptions {
  readonly includeSkills: boolean;
  /** Directory with the files of the conversation; absent for a store without files. */
  readonly directory?: string | undefined;
}

type ConfiguredFields = Pick<ConversationInfo, keyof ReturnType<typeof configurableFields>>;

const defaults: ConfiguredFields = {
  max_iterations: 500,
  stuck_detection: true,
  confirmation_policy: { kind: 'NeverConfirm' },
  security_analyzer: null,
  activated_knowledge_skills: [],
  invoked_skills: [],
  blocked_actions: {},
  blocked_messages: {},
  agent_state: {},
  hook_config: null,
  forked_from_conversation_id: null,
  forked_from_event_id: null,
  parent_conversation_id: null,
  tags: {},
  client_tools: [],
};

const titled = lazy(() => z.object({ title: z.string().nullable().catch(null) }));

/** Fields that varve stores in the spec of an agent and the reference stores next to the agent. */
const spec = lazy(() =>
  z.object({
    confirmation_policy: z.unknown().optional(),
    budget: z.object({ maxIterations: z.unknown().optional() }).catch({}),
  }),
);

/**
 * Returns the info of one conversation. The latest update in the log takes precedence over the configuration. Of what
 * is stored next to a log with settings, only the title counts.
 */
export function conversationInfoOf(
  summary: Summary,
  fold: ConversationFold,
  { includeSkills, directory }: InfoOptions,
): ConversationInfo {
  const { title } = titled().safeParse(summary.meta).data ?? { title: null };
  const { workspace, agent, policy, ...configured } = storedConfiguration(summary, fold);
  const { fields, tools } = fold.reported;
  const valid = firstValid([{ confirmation_policy: policy }, fields, configured, ofSpec(agent)]);
  const { text: evidence } = evidenceOf(fold.evidence, '');
  return {
    id: dashedId(summary.id),
    workspace: { working_dir: workspace, kind: 'LocalWorkspace' },
    persistence_dir: directory ?? null,
    ...valid,
    // Without a field of its own, because clients of the reference know all fields.
    agent_state: { ...valid.agent_state, ...(evidence !== undefined && { evidence }) },
    activated_knowledge_skills: [...fold.skills.activated],
    invoked_skills: [...fold.skills.invoked],
    blocked_actions: Object.fromEntries(fold.blocked.actions),
    blocked_messages: Object.fromEntries(fold.blocked.messages),
    execution_status: fold.status.execution,
    last_user_message_id: fold.status.lastUserMessageId ?? null,
    leaf_event_id: fold.leafId ?? null,
    stats: { usage_to_metrics: metricsOf(fold) },
    secret_registry: { secret_sources: fold.reported.configuration?.secret_sources ?? {} },
    title: fold.status.title ?? title,
    metrics: null,
    created_at: instant(summary.createdAt),
    updated_at: instant(summary.updatedAt),
    sub_conversation_ids: fold.reported.children.map(dashedId),
    current_model_id: null,
    available_models: [],
    supports_runtime_model_switch: false,
    launched_agent_profile: fold.reported.configuration?.launched_agent_profile ?? null,
    agent: agentJson({ configured: fields['agent'] ?? agent, tools, includeSkills }),
  };
}

/** Takes each field from the first source with a valid value. */
function firstValid(sources: readonly Readonly<Record<string, unknown>>[]): ConfiguredFields {
  const fields = Object.entries(configurableFields()).flatMap(([name, schema]) => {
    const valid = sources
      .map((source) => schema.safeParse(normalised(name, source[name])))
      .find(({ success }) => success);
    return valid ? [[name, valid.data]] : [];
  });
  return { ...defaults, ...Object.fromEntries(fields) };
}

/**
 * Normalises ids, stored with or without dashes, and removes what clients do not know: secrets in the configuration of
 * an analyzer, and the rules of the person, which are not of the policy of the client.
 */
function normalised(name: string, value: unknown): unknown {
  if (typeof value === 'string') return dashedId(value);
  if (name === 'confirmation_policy' && typeof value === 'object' && value !== null && 'rules' in value) {
    const { rules: _rules, ...policy } = value;
    return withoutSecrets(policy);
  }
  return typeof value === 'object' && value !== null && 'kind' in value ? withoutSecrets(value) : value;
}

function ofSpec(agent: unknown): Readonly<Record<string, unknown>> {
  const parsed = spec().safeParse(agent);
  if (!parsed.success) return {};
  const { confirmation_policy, budget } = parsed.data;
  return { confirmation_policy, max_iterations: budget.maxIterations };
}

function metricsOf(fold: ConversationFold): Record<string, Metrics> {
  const calls = new Map(Object.entries(fold.reported.lastCalls));
  return Object.fromEntries(
    Object.entries(shownUsage(fold)).map(([id, usage]) => [id, metricsOfOne(usage, calls.get(id))]),
  );
}

function metricsOfOne(usage: Usage, { model, tokens, contextWindow }: LastCall = noCall): Metrics {
  return {
    model_name: model,
    accumulated_cost: usage.cost_usd ?? 0,
    max_budget_per_task: null,
    accumulated_token_usage: {
      model,
      prompt_tokens: usage.input_tokens,
      completion_tokens: usage.output_tokens,
      cache_read_tokens: usage.cache_read_tokens,
      cache_write_tokens: usage.cache_write_tokens,
      reasoning_tokens: usage.reasoning_tokens,
      context_window: contextWindow,
      per_turn_token: tokens,
      response_id: '',
    },
    costs: [],
    response_latencies: [],
    token_usages: [],
  };
}

const noCall: LastCall = { model: '', tokens: 0, contextWindow: 0 };

/** Formats an instant with the microseconds that clients expect. */
function instant(utcMs: number): string {
  return new Date(utcMs).toISOString().replace('Z', '000Z');
}

/** Reads the info of a conversation. @throws {StorageError} `missing` if it was removed concurrently, `io`. */
export async function readInfo(
  summary: Summary,
  { store, folds }: Pick<ConversationSources, 'store' | 'folds'>,
  options: Pick<InfoOptions, 'includeSkills'>,
): Promise<ConversationInfo> {
  const directory = store.directoryOf?.(summary.id);
  return conversationInfoOf(summary, await folds.of(summary), { ...options, directory });
}
