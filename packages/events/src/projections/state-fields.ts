import type { BaseEvent } from '../define-event.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';

/**
 * Returns the fields of the conversation's state that an event sets, with their values: one for most updates, many for
 * a `full_state`, none for other events and for facts, which describe single events.
 *
 * @see software-agent-sdk ConversationStateUpdateEvent, whose key may be `full_state`
 */
export function stateFields(event: BaseEvent): readonly (readonly [key: string, value: unknown])[] {
  if (!ConversationStateUpdateEvent.is(event) || event.key.startsWith('varve.')) return [];
  const { key, value } = event;
  if (key !== 'full_state') return [[key, value ?? null]];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
