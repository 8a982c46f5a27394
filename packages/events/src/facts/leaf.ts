import type { BaseEvent } from '../define-event.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';

/** Key of the state update with which the reference moves the head of the event tree. */
export const leafKey = 'leaf_event_id';

/**
 * Returns the new head of a state update: an event id, or `__root__` for an empty branch. Undefined if it does not
 * move.
 */
export function movedLeaf(event: BaseEvent): string | undefined {
  if (!ConversationStateUpdateEvent.is(event) || event.key !== leafKey) return undefined;
  return typeof event.value === 'string' && event.value !== '' ? event.value : '__root__';
}
