import type { Json } from '@varve/events';
import { asRecord, type JsonRecord } from './json-record.ts';

/** What of a summary's `meta` the files of the reference can say. */
export interface AgentMeta {
  readonly title?: string;
  readonly status?: string;
  /** The path of the directory that is worked on. */
  readonly workspace?: string;
  /** What rebuilds the agent. */
  readonly agent?: JsonRecord;
}

/** Reads the parts there are; none when `meta` is something else altogether. */
export function agentMetaOf(meta: Json | undefined): AgentMeta {
  const { title, status, workspace, agent } = asRecord(meta) ?? {};
  const spec = asRecord(agent);
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof status === 'string' && { status }),
    ...(typeof workspace === 'string' && { workspace }),
    ...(spec && { agent: spec }),
  };
}

/** What `base_state.json` is made of. */
export interface BaseStateOptions {
  /** The conversation's id as a UUID. */
  readonly uuid: string;
  /** The directory of the conversation. */
  readonly directory: string;
  readonly meta: AgentMeta;
  /** The `meta` that the file was last written with. */
  readonly previous: AgentMeta;
  /** The file as it is; absent when there is none or it is broken. */
  readonly before: JsonRecord | undefined;
  /** The event that the next one follows. */
  readonly leafId: string | undefined;
  readonly lastUserMessageId: string | undefined;
}

/** Fields in the reference's order; what stays undefined is not written. */
const fields =
  'id agent workspace persistence_dir max_iterations stuck_detection execution_status confirmation_policy ' +
  'security_analyzer activated_knowledge_skills activated_path_rules invoked_skills blocked_actions blocked_messages ' +
  'last_user_message_id leaf_event_id head_is_empty stats secret_registry tags agent_state hook_config';
const inOrder: JsonRecord = Object.fromEntries(fields.split(' ').map((field) => [field, undefined]));
const statuses = new Set(['idle', 'running', 'paused', 'waiting_for_confirmation', 'finished', 'error', 'stuck']);
const policies = new Set<unknown>(['NeverConfirm', 'AlwaysConfirm', 'ConfirmRisky']);

/**
 * The reference's state of a conversation: a cache, for its sake. What we do not know better stays as it was; numbers
 * stay equal, `8.0` becomes `8`.
 *
 * @see software-agent-sdk openhands/sdk/conversation/state.py
 */
export function baseState(options: BaseStateOptions): JsonRecord {
  const { meta, before, leafId, lastUserMessageId } = options;
  return {
    ...inOrder,
    ...(before ?? newBaseState(options)),
    ...(meta.status !== undefined && statuses.has(meta.status) && { execution_status: meta.status }),
    ...(before && changed(options, before)),
    ...(lastUserMessageId !== undefined && { last_user_message_id: lastUserMessageId }),
    ...(leafId !== undefined && { leaf_event_id: leafId, head_is_empty: false }),
  };
}

function newBaseState({ uuid, directory, meta }: BaseStateOptions): JsonRecord {
  return {
    id: uuid,
    agent: referenceAgent(meta.agent),
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

function changed({ meta, previous }: BaseStateOptions, before: JsonRecord): JsonRecord {
  const isMoved = meta.workspace !== undefined && asRecord(before['workspace'])?.['working_dir'] !== meta.workspace;
  // An agent of the reference holds what ours does not, such as encrypted keys: only one made here is made again.
  const isOurs = JSON.stringify(before['agent']) === JSON.stringify(referenceAgent(previous.agent));
  return {
    ...(isMoved && { workspace: workspaceOf(meta) }),
    ...(isOurs && meta.agent && { agent: referenceAgent(meta.agent), ...limitsOf(meta) }),
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
    // A policy that the reference does not know must not turn into one that asks less.
    confirmation_policy: policies.has(policy['kind']) ? policy : { kind: 'AlwaysConfirm' },
  };
}

/**
 * An agent that the reference can load, as far as the specification of ours says: the model, and how often it may go on.
 * Tools are left out, because the reference refuses a conversation with a tool that it does not know. Keys are never in
 * a specification.
 *
 * @see software-agent-sdk openhands/sdk/agent/base.py, openhands/sdk/llm/llm.py (fields left out have defaults there)
 */
export function referenceAgent(spec: JsonRecord | undefined): JsonRecord {
  const model = innermost(asRecord(spec?.['model']));
  const name = [model['model'], model['name']].find((value) => typeof value === 'string') ?? 'unknown';
  const isOpenAi = model['kind'] === 'openai-chat';
  return {
    llm: {
      // The reference chooses how to talk by a prefix.
      model: isOpenAi ? `openai/${name}` : name,
      ...(typeof model['baseUrl'] === 'string' && { base_url: model['baseUrl'] }),
      usage_id: 'agent',
    },
    tools: [],
    mcp_config: {},
    include_default_tools: ['FinishTool', 'ThinkTool'],
    system_prompt_filename: 'system_prompt.j2',
    security_policy_filename: 'security_policy.j2',
    system_prompt_kwargs: { llm_security_analyzer: true },
    tool_concurrency_limit: 1,
    kind: 'Agent',
  };
}

/** Wrappers, such as one that retries, hold the specification of the model they wrap. */
function innermost(spec: JsonRecord | undefined): JsonRecord {
  const inner = asRecord(spec?.['model']);
  return inner ? innermost(inner) : (spec ?? {});
}
