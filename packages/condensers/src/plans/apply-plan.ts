import type { BaseEvent } from '@varve/events';
import { withCondensation, withMask, type View } from '@varve/events/projections';
import type { Plan } from '../condenser.ts';

/** Id of a planned condensation; the real one is known when it is stored. */
const plannedId = 'planned';

/**
 * Returns the view that a plan leads to. The summary has the id `planned-summary`, and no condensation is requested any
 * more.
 */
export function applyPlan({ events }: View, plan: Plan): View {
  const masked = (plan.masks ?? []).reduce<readonly BaseEvent[]>(
    (changed, { eventIds, text }) => withMask(changed, { event_ids: eventIds, text }),
    events,
  );
  if (plan.kind === 'mask') return { events: masked, isCondensationRequested: false };
  const { forget, summary, summaryOffset } = plan;
  const condensation = {
    id: plannedId,
    timestamp: '',
    forgotten_event_ids: forget,
    ...(summary !== undefined && { summary }),
    ...(summaryOffset !== undefined && { summary_offset: summaryOffset }),
  };
  return { events: withCondensation(masked, condensation), isCondensationRequested: false };
}
