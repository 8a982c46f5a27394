import type { BaseEvent } from '../define-event.ts';
import { Pairing, type OpenCall } from './pairing.ts';

/** Call of a view with its result and an id that is unique in the request. */
export type PairedCall = Readonly<Pick<OpenCall, 'event' | 'wireId' | 'result'>>;

/** Calls of one reply, as far as a view contains them. */
export interface Reply {
  /** In call order, never empty. */
  readonly calls: readonly PairedCall[];
  /** Index of the first call in the view. */
  readonly start: number;
  /** Indices of its actions and of every result that names one of them. They are kept or forgotten together. */
  readonly members: readonly number[];
}

/**
 * Returns the replies of a view in order of their first call, each call with its first result. Observations and
 * rejections name their action. An agent error names a tool call id: it is the result of the oldest earlier call with
 * this id and without a result.
 *
 * Calls with the same `llm_response_id` are one reply. Some servers use the same id for every response, so a message,
 * another reply, or a tool result that completes all calls ends a reply: later calls with its id are a new one.
 */
export function repliesOf(events: readonly BaseEvent[]): readonly Reply[] {
  const pairing = new Pairing();
  for (const [index, event] of events.entries()) pairing.add(event, index);
  return pairing.replies;
}
