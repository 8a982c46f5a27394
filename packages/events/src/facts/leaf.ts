import type { BaseEvent } from '../define-event.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';

/** The key under which the reference keeps the head of the event tree; an update of it moves the head. */
export const leafKey = 'leaf_event_id';

/** Where a state update moves the head: an event id, `__root__` for before everything, undefined when it does not. */
export function movedLeaf(event: BaseEvent): string | undefined {
  if (!ConversationStateUpdateEvent.is(event) || event.key !== leafKey) return undefined;
  return typeof event.value === 'string' && event.value !== '' ? event.value : '__root__';
}
