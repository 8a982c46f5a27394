import type { BaseEvent } from '@varve/events';
import { callFact, childFact, effectFact, runFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { Projection } from '@varve/events/projections';

/** Active time of a conversation. */
export interface Activity {
  /** Milliseconds of all runs; a run that did not end counts up to its last recorded activity. */
  readonly ms: number;
}

interface ActivityState {
  /** Milliseconds of the runs that ended. */
  readonly ms: number;
  /** Start and last recorded activity of a run that has not ended, in UTC milliseconds. */
  readonly open?: { readonly since: number; readonly last: number };
}

/**
 * Sums the time of runs over the whole log, including abandoned branches. Time between runs does not count; a run that
 * was cut off by a crash ends with its last reply or effect, or with that of a child conversation. Inherited runs do
 * not count.
 */
export const activityProjection: Projection<ActivityState, Activity> = {
  name: 'activity',
  version: 2,
  scope: 'log',
  initial: () => ({ ms: 0 }),
  apply(state, event) {
    const run = runFact.read(event);
    if (run && !run.inherited) {
      const ms = state.ms + openMs(state.open, run.state === 'ended' ? run.at : undefined);
      return run.state === 'begun' ? { ms, open: { since: run.at, last: run.at } } : { ms };
    }
    const at = state.open && activityAt(event);
    return state.open && at !== undefined && at > state.open.last
      ? { ...state, open: { ...state.open, last: at } }
      : state;
  },
  read: ({ ms, open }) => ({ ms: ms + openMs(open) }),
  encode: ({ ms, open }) => ({ ms, ...(open && { open: { ...open } }) }),
  decode: (json) => json as unknown as ActivityState,
};

/** Returns the duration of an open run; 0 if the clock was set back. */
function openMs(open: ActivityState['open'], end = open?.last ?? 0): number {
  return open ? Math.max(0, end - open.since) : 0;
}

const activityFacts = new Set<string>([callFact.key, childFact.key, effectFact.key]);

/** Returns the time of a fact that only runs record: a reply of the agent's model, an effect, the usage of a child. */
function activityAt(event: BaseEvent): number | undefined {
  if (!ConversationStateUpdateEvent.is(event)) return undefined;
  if (!activityFacts.has(event.key)) return undefined;
  // Not parsed as a fact: every state update of a log passes here.
  const value = Object(event.value) as { readonly usage_id?: unknown; readonly at?: unknown };
  const { usage_id: usageId = 'agent', at } = value;
  return usageId === 'agent' && typeof at === 'number' ? at : undefined;
}
