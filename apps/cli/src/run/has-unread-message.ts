import type { Conversation } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';

/** Reports whether a message of the user came after everything that the agent wrote. */
export function hasUnreadMessage({ state }: Conversation): boolean {
  const last = state.view.events.findLast(
    (event) => isOfAgent(event) || (MessageEvent.is(event) && event.source === 'user'),
  );
  return last !== undefined && !isOfAgent(last);
}

function isOfAgent(event: BaseEvent): boolean {
  return ActionEvent.is(event) || (MessageEvent.is(event) && event.source === 'agent');
}
