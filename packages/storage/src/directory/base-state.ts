import type { AgentMeta } from './agent-meta.ts';
import { asRecord, type JsonRecord } from './json-record.ts';
import { referenceAgent } from './reference-agent.ts';

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
