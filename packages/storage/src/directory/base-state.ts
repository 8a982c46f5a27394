import type { Json } from '@varve/events';
import { asRecord, type JsonRecord } from '../kit/json.ts';
import { referenceStats, referenceTools } from './reference-totals.ts';

/** Fields of a summary's `meta` that the files of the reference contain too. */
export interface AgentMeta {
  readonly title?: string;
  readonly status?: string;
  /** Path of the workspace directory. */
  readonly workspace?: string;
  /** Specification of the agent. */
  readonly agent?: JsonRecord;
  /** Names of the tools. */
  readonly tools?: readonly unknown[];
  /** Totals by usage id. */
  readonly usage?: JsonRecord;
}

/** Returns the valid fields of `meta`; empty if `meta` is not an object. */
export function agentMetaOf(meta: Json | undefined): AgentMeta {
  const { title, status, workspace, agent, tools, usage } = asRecord(meta) ?? {};
  const spec = asRecord(agent);
  const totals = asRecord(usage);
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof status === 'string' && { status }),
    ...(typeof workspace === 'string' && { workspace }),
    ...(spec && { agent: spec }),
    ...(Array.isArray(tools) && { tools: tools as readonly unknown[] }),
    ...(totals && { usage: totals }),
  };
}

/** Options of `baseState`. */
export interface BaseStateOptions {
  /** Id of the conversation as a UUID. */
  readonly uuid: string;
  /** Directory of the conversation. */
  readonly directory: string;
  readonly meta: AgentMeta;
  /** `meta` that the file was last written with. */
  readonly previous: AgentMeta;
  /** Current contents of the file; absent if it is missing or broken. */
  readonly before: JsonRecord | undefined;
  /** Id of the event that the next one follows. */
  readonly leafId: string | undefined;
  readonly lastUserMessageId: string | undefined;
}

/** Fields in the reference's order; undefined ones are not written. */
const fields =
  'id agent workspace persistence_dir max_iterations stuck_detection execution_status confirmation_policy ' +
  'security_analyzer activated_knowledge_skills activated_path_rules invoked_skills blocked_actions blocked_messages ' +
  'last_user_message_id leaf_event_id head_is_empty stats secret_registry tags agent_state hook_config';
const inOrder: JsonRecord = Object.fromEntries(fields.split(' ').map((field) => [field, undefined]));
const statuses = new Set(['idle', 'running', 'paused', 'waiting_for_confirmation', 'finished', 'error', 'stuck']);
const policies = new Set<unknown>(['NeverConfirm', 'AlwaysConfirm', 'ConfirmRisky']);

/**
 * Returns the contents of `base_state.json`, the reference's cached state of a conversation. Fields that this package
 * does not set keep their values; numbers may change in form, as `8.0` becomes `8`.
 *
 * @see software-agent-sdk openhands/sdk/conversation/state.py
 */
export function baseState(options: BaseStateOptions): JsonRecord {
  const { meta, before, leafId, lastUserMessageId } = options;
  return {
    ...inOrder,
    ...(before ?? newBaseState(options)),
    ...(meta.status !== undefined && statuses.has(meta.status) && { execution_status: meta.status }),
    ...(before && changedFields(options, before)),
    ...(meta.usage && { stats: referenceStats(meta.usage, modelName(meta), before?.['stats']) }),
    ...(lastUserMessageId !== undefined && { last_user_message_id: lastUserMessageId }),
    ...(leafId !== undefined && { leaf_event_id: leafId, head_is_empty: false }),
  };
}

function newBaseState({ uuid, directory, meta }: BaseStateOptions): JsonRecord {
  return {
    id: uuid,
    agent: referenceAgent(meta),
    workspace: workspaceOf(meta),
    persistence_dir: directory,
    ...limitsOf(meta),
    stuck_detection: true,
    execution_status: 'idle',
    activated_knowledge_skills: [],
    activated_path_rules: [],
    invoked_skills: [],
    blocked_actions: {},
    blocked_messages: {},
    head_is_empty: false,
    stats: { usage_to_metrics: {} },
    secret_registry: { secret_sources: {} },
    tags: {},
    agent_state: {},
  };
}

function changedFields({ meta, previous }: BaseStateOptions, before: JsonRecord): JsonRecord {
  const isMoved = meta.workspace !== undefined && asRecord(before['workspace'])?.['working_dir'] !== meta.workspace;
  // An agent written by the reference contains more, such as encrypted keys, so only one written here is replaced.
  const written = asRecord(before['agent']);
  // Most `meta` contain no tool names: those in the file stay.
  const listed = { tools: written?.['tools'], include_default_tools: written?.['include_default_tools'] };
  const isOurs = JSON.stringify(written) === JSON.stringify({ ...referenceAgent(previous), ...listed });
  const agent = meta.tools ? referenceAgent(meta) : { ...referenceAgent(meta), ...listed };
  return {
    ...(isMoved && { workspace: workspaceOf(meta) }),
    ...(isOurs && meta.agent && { agent, ...limitsOf(meta) }),
  };
}

function workspaceOf({ workspace = '.' }: AgentMeta): JsonRecord {
  return { working_dir: workspace, kind: 'LocalWorkspace' };
}

function limitsOf({ agent }: AgentMeta): JsonRecord {
  const limit = asRecord(agent?.['budget'])?.['maxIterations'];
  const policy = asRecord(agent?.['confirmation_policy']) ?? { kind: 'NeverConfirm' };
  return {
    max_iterations: typeof limit === 'number' && Number.isInteger(limit) && limit > 0 ? limit : 500,
    // An unknown policy must not become one that asks for fewer confirmations.
    confirmation_policy: policies.has(policy['kind']) ? policy : { kind: 'AlwaysConfirm' },
  };
}

/**
 * Returns an agent that the reference can load, with the model of the specification and the tools that it has too.
 * Specifications never contain keys.
 *
 * @see software-agent-sdk openhands/sdk/agent/base.py, openhands/sdk/llm/llm.py (omitted fields have defaults)
 */
export function referenceAgent(meta: AgentMeta): JsonRecord {
  const model = innermostModel(asRecord(meta.agent?.['model']));
  return {
    llm: {
      model: modelName(meta),
      ...(typeof model['baseUrl'] === 'string' && { base_url: model['baseUrl'] }),
      usage_id: 'agent',
    },
    tools: [],
    mcp_config: {},
    include_default_tools: ['FinishTool', 'ThinkTool'],
    ...(meta.tools && referenceTools(meta.tools)),
    system_prompt_filename: 'system_prompt.j2',
    security_policy_filename: 'security_policy.j2',
    system_prompt_kwargs: { llm_security_analyzer: true },
    tool_concurrency_limit: 1,
    kind: 'Agent',
  };
}

/** Returns the name of the model with the prefix by which the reference selects the provider. */
function modelName({ agent }: AgentMeta): string {
  const model = innermostModel(asRecord(agent?.['model']));
  const name = [model['model'], model['name']].find((value) => typeof value === 'string') ?? 'unknown';
  return model['kind'] === 'openai-chat' ? `openai/${name}` : name;
}

/** Returns the specification of the innermost model: wrappers, such as for retries, contain that of the wrapped one. */
function innermostModel(spec: JsonRecord | undefined): JsonRecord {
  const inner = asRecord(spec?.['model']);
  return inner ? innermostModel(inner) : (spec ?? {});
}
