import { textOf } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import type { View } from '@varve/events/projections';

/** The agent's last word in a view: the message of its last finish, else its last plain reply, else empty. */
export function finalText({ events }: View): string {
  for (const event of events.toReversed()) {
    if (ActionEvent.is(event) && FinishAction.is(event.action)) return event.action.message;
    if (MessageEvent.is(event) && event.source === 'agent') return textOf(event.llm_message.content);
  }
  return '';
}
