import type { BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { isResult } from '@varve/events/projections';

/**
 * Returns the number of events up to and including the first message of the user. Returns 0 if the agent acted before
 * the first message.
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
