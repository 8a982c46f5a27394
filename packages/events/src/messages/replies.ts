import type { BaseEvent } from '../define-event.ts';
import type { ActionEvent } from '../kinds/action-event.ts';
import { Pairing } from './pairing.ts';
import type { ResultEvent } from './results.ts';

/** One call of a view, the result that answers it, and an id that no other call of the request has. */
export interface PairedCall {
  readonly event: ActionEvent;
  readonly wireId: string;
  readonly result?: ResultEvent;
}

/** What the model asked for at once, as far as a view holds it. */
export interface Reply {
  /** In call order, never empty. */
  readonly calls: readonly PairedCall[];
  /** Index of the first call in the view. */
  readonly start: number;
  /** Indices of its actions and of every result that names one of them: what stays or goes together. */
  readonly members: readonly number[];
}

/**
 * The replies of a view, in order of their first call, each call with the first result that answers it. Observations and
 * rejections name their action; an agent error names a tool call and answers the oldest call before it that has this id
 * and no result.
 *
 * Calls of one `llm_response_id` are one reply. Some servers give every response the same id, so a message, another
 * reply, or a tool result that leaves no call open ends a reply: what follows under its id is a new one.
 */
export function repliesOf(events: readonly BaseEvent[]): readonly Reply[] {
  const pairing = new Pairing();
  for (const [index, event] of events.entries()) pairing.add(event, index);
  return pairing.replies;
}
