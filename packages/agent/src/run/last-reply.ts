import { textOf } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import type { View } from '@varve/events/projections';

/** Reports whether the agent replied after the last message of the user. */
export function isAnswered({ events }: View): boolean {
  const last = events.findLastIndex((event) => MessageEvent.is(event) && event.source === 'user');
  return events.slice(last + 1).some((event) => event.source === 'agent');
}

/** Reports whether the last event of a view is a message of the agent. */
export function endsInReply({ events }: View): boolean {
  const last = events.at(-1);
  return last !== undefined && MessageEvent.is(last) && last.source === 'agent';
}

/**
 * Returns the message of the agent's last `finish` or its last reply of text, whichever is later; else an empty string.
 */
export function finalText({ events }: View): string {
  for (const event of events.toReversed()) {
    if (ActionEvent.is(event) && FinishAction.is(event.action)) return event.action.message;
    if (MessageEvent.is(event) && event.source === 'agent') return textOf(event.llm_message.content);
  }
  return '';
}
