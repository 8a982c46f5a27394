import type { ConversationSources } from '../reference/info/conversation-folds.ts';
import { readInfo } from '../reference/info/info-of.ts';

/** Fields of the info of a conversation that the reference keeps outside its state. */
const outside = new Set([
  'metrics',
  'title',
  'created_at',
  'updated_at',
  'forked_from_conversation_id',
  'forked_from_event_id',
  'parent_conversation_id',
  'sub_conversation_ids',
  'current_model_id',
  'available_models',
  'supports_runtime_model_switch',
  'launched_agent_profile',
  'client_tools',
]);

/**
 * Returns the whole state of a conversation as JSON, without nulls and without secrets.
 *
 * @throws {StorageError} `missing` if the conversation was removed, `io`.
 * @see agent-server 1.43.1, the value of a state update with the key `full_state`
 */
export async function fullStateText(
  id: string,
  { store, folds }: Pick<ConversationSources, 'store' | 'folds'>,
): Promise<string> {
  const summary = await store.summary(id);
  const info = await readInfo(summary, { store, folds }, { includeSkills: true });
  const fields = Object.entries(info).filter(([name]) => !outside.has(name));
  const state = {
    ...Object.fromEntries(fields),
    head_is_empty: info.leaf_event_id === null && info.last_user_message_id !== null,
    activated_path_rules: [],
  };
  return JSON.stringify(state, (_key, value: unknown) => value ?? undefined);
}
