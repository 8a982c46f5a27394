import type { BaseEvent } from '@varve/events';
import { callFact, childFact, effectFact, runFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { Projection } from '@varve/events/projections';

/** How long a conversation has been at work. */
export interface Activity {
  /** Milliseconds of all runs; of one that did not end, up to the last thing it is known to have done. */
  readonly ms: number;
}

interface ActivityState {
  /** Of the runs that are over. */
  readonly ms: number;
  /** When the run that has not ended began, and when it was last known to work. UTC milliseconds. */
  readonly open?: { readonly since: number; readonly last: number };
}

/**
 * Sums the time of runs over the whole log, all branches: time spent on an abandoned branch is spent. The time between runs
 * is nobody's, also when a run was cut off by a crash: it worked until its last reply or effect, or that of who worked for
 * it. Inherited runs do not count.
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
    const at = state.open && workedAt(event);
    return state.open && at !== undefined && at > state.open.last
      ? { ...state, open: { ...state.open, last: at } }
      : state;
  },
  read: ({ ms, open }) => ({ ms: ms + openMs(open) }),
  encode: ({ ms, open }) => ({ ms, ...(open && { open: { ...open } }) }),
  decode: (json) => json as unknown as ActivityState,
};

/** Clocks may be set back; no run takes less than no time. */
function openMs(open: ActivityState['open'], end = open?.last ?? 0): number {
  return open ? Math.max(0, end - open.since) : 0;
}

const ofWork = new Set<string>([callFact.key, childFact.key, effectFact.key]);

/** Only runs ask the agent's model, carry out calls and have others work; other facts come between runs as well. */
function workedAt(event: BaseEvent): number | undefined {
  if (!ConversationStateUpdateEvent.is(event)) return undefined;
  if (!ofWork.has(event.key)) return undefined;
  // Read as lightly as can be.
  const { usage_id: who = 'agent', at } = event.value as { readonly usage_id?: unknown; readonly at?: unknown };
  return who === 'agent' && typeof at === 'number' ? at : undefined;
}
