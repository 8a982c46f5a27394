import type { BaseStateOptions } from './base-state.ts';
import type { JsonRecord } from '../kit/json.ts';

/** Options of `storedConversation`. */
export interface StoredConversationOptions extends Pick<BaseStateOptions, 'uuid' | 'meta' | 'before'> {
  /** Contents of `base_state.json`, written with it. */
  readonly state: JsonRecord;
  /** UTC milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Returns the contents of `meta.json`, the reference's catalogue entry; the reference lists conversations that have
 * one. Fields that this package does not set keep their values.
 *
 * @see software-agent-sdk openhands/agent_server/models.py (`StoredConversation`)
 */
export function storedConversation(options: StoredConversationOptions): JsonRecord {
  const { uuid, meta, before, state, createdAt, updatedAt } = options;
  const { title } = meta;
  return {
    ...(before ?? newStoredConversation(uuid, createdAt)),
    // The reference reads these fields here when it loads a conversation.
    workspace: state['workspace'],
    confirmation_policy: state['confirmation_policy'],
    max_iterations: state['max_iterations'],
    ...(title !== undefined && { title }),
    updated_at: timeOf(updatedAt),
  };
}

/** Fields in the reference's order. */
function newStoredConversation(uuid: string, createdAt: number): JsonRecord {
  return {
    workspace: { working_dir: '.', kind: 'LocalWorkspace' },
    worktree: false,
    conversation_id: null,
    parent_conversation_id: null,
    confirmation_policy: { kind: 'NeverConfirm' },
    security_analyzer: null,
    initial_message: null,
    max_iterations: 500,
    stuck_detection: true,
    secrets: {},
    secrets_encrypted: false,
    tool_module_qualnames: {},
    client_tools: [],
    agent_launch_additions: null,
    agent_definitions: [],
    plugins: null,
    hook_config: null,
    tags: {},
    user_id: null,
    observability_metadata: {},
    observability_tags: [],
    observability_span_name: 'conversation',
    autotitle: true,
    title_llm_profile: null,
    required_runtime_credential_bindings: [],
    id: uuid.replaceAll('-', ''),
    title: null,
    metrics: null,
    created_at: timeOf(createdAt),
    updated_at: timeOf(createdAt),
    forked_from_conversation_id: null,
    forked_from_event_id: null,
    launched_agent_profile: null,
  };
}

/** Formats a time with microseconds, as the reference does. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
