import { MessageEvent } from '@varve/events';
import type { View } from '@varve/events/projections';

/** Whether the agent spoke or acted after the last thing the user said. */
export function isAnswered({ events }: View): boolean {
  const lastSaid = events.findLastIndex((event) => MessageEvent.is(event) && event.source === 'user');
  return events.slice(lastSaid + 1).some((event) => event.source === 'agent');
}
