import type { BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { isResult } from '@varve/events/projections';

/**
 * How many events a conversation opens with: everything up to the first message of the user, the prompt included. 0 when
 * the agent acted before any user spoke.
 */
export function openingLength(events: readonly BaseEvent[]): number {
  for (const [index, event] of events.entries()) {
    if (ActionEvent.is(event) || isResult(event)) return 0;
    if (!MessageEvent.is(event)) continue;
    if (event.source === 'user') return index + 1;
    if (event.source === 'agent') return 0;
  }
  return 0;
}
