import type { CondensationPlan } from '@varve/condensers';
import { SystemPromptEvent } from '@varve/events/kinds';
import { cutPoints, type View } from '@varve/events/projections';

/**
 * The plan that leaves out everything that may go: all but the system prompt, the first user turn and the last step. Undefined
 * when that is nothing.
 */
export function hardReset(view: View): CondensationPlan | undefined {
  const { events } = view;
  const cuts = cutPoints(events);
  const firstTurn = events.findIndex((event) => !SystemPromptEvent.is(event));
  const start = cuts.find((cut) => cut > firstTurn) ?? events.length;
  const end = cuts.findLast((cut) => cut < events.length) ?? 0;
  const forget = events.slice(start, end).filter((event) => !SystemPromptEvent.is(event));
  // Of fewer than two events the summary would make no smaller view, and the next demand would come back to it for ever.
  if (forget.length < 2) return undefined;
  return {
    kind: 'condensation',
    forget: forget.map(({ id }) => id),
    summary: `(${forget.length} earlier events are no longer shown, because the model did not take them all. Look at the files again where you need them.)`,
    summaryOffset: start,
  };
}
