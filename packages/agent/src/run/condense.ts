import type { CondensationPlan } from '@varve/condensers';
import { Condensation, SystemPromptEvent } from '@varve/events/kinds';
import { cutPoints, type View } from '@varve/events/projections';
import type { Draft } from '../log/drafts.ts';
import type { Session } from '../session.ts';

/**
 * Returns the condensation of a view, or `undefined` when the condenser leaves it as it is. When a condensation was
 * requested and the condenser finds nothing to cut, everything is cut except the system prompt, the first user turn and
 * the last step. Returns `'exhausted'` when even that is nothing.
 */
export async function condensationFor(
  view: View,
  { agent, journal }: Session,
  signal: AbortSignal,
): Promise<Draft | 'exhausted' | undefined> {
  const { contextWindow } = agent.model.capabilities;
  const reason = view.isCondensationRequested ? 'demand' : 'check';
  const context = { signal, reason, ...(contextWindow !== undefined && { contextWindow }) } as const;
  const answer = await agent.condenser.condense(view, context);
  if ('kind' in answer && answer.kind === 'condensation') return draftOf(answer, () => journal.newId());
  if (reason === 'check') return undefined;
  const reset = hardReset(view);
  return reset ? draftOf(reset, () => journal.newId()) : 'exhausted';
}

/**
 * Returns the plan that cuts everything except system prompt, first user turn and last step; `undefined` if there is no
 * more.
 */
export function hardReset(view: View): CondensationPlan | undefined {
  const { events } = view;
  const cuts = cutPoints(events);
  const firstTurn = events.findIndex((event) => !SystemPromptEvent.is(event));
  const start = cuts.find((cut) => cut > firstTurn) ?? events.length;
  const end = cuts.findLast((cut) => cut < events.length) ?? 0;
  const forget = events.slice(start, end).filter((event) => !SystemPromptEvent.is(event));
  // A summary in place of a single event makes no smaller view, and the next request would repeat it without end.
  if (forget.length < 2) return undefined;
  return {
    kind: 'condensation',
    forget: forget.map(({ id }) => id),
    summary: `(${forget.length} earlier events are no longer shown, because they exceed what the model accepts. Read files again where you need them.)`,
    summaryOffset: start,
  };
}

function draftOf({ forget, summary, summaryOffset, responseId }: CondensationPlan, newId: () => string): Draft {
  const summaryFields =
    summary === undefined ? {} : { summary, ...(summaryOffset !== undefined && { summary_offset: summaryOffset }) };
  return {
    make: (stamp) =>
      Condensation.create(
        { forgotten_event_ids: [...forget], ...summaryFields, llm_response_id: responseId ?? newId() },
        stamp,
      ),
  };
}
