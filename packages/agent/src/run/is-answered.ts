import { MessageEvent } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';

/** Whether the agent spoke or acted after the last thing the user said. */
export function isAnswered({ events }: View): boolean {
  const lastSaid = events.findLastIndex((event) => MessageEvent.is(event) && event.source === 'user');
  return events.slice(lastSaid + 1).some((event) => event.source === 'agent');
}

/** Whether the last thing in a view is something that the agent said. */
export function endsInReply({ events }: View): boolean {
  const last = events.at(-1);
  return last !== undefined && MessageEvent.is(last) && last.source === 'agent';
}
