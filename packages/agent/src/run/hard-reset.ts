import type { CondensationPlan } from '@varve/condensers';
import { SystemPromptEvent } from '@varve/events/kinds';
import { cutPoints, type View } from '@varve/events/projections';

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
