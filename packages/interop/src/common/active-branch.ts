import { eventCodec, type BaseEvent } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { Timeline, type LogEntry, type Projection } from '@varve/events/projections';
import type { Dropped } from './origins.ts';

/** Events of a branch. */
export interface ActiveBranch {
  /** Events from the root to the head, with the facts and state updates of all branches, in order. */
  readonly events: readonly BaseEvent[];
  /** Events of other branches. */
  readonly dropped: readonly Dropped[];
}

const branch: Projection<BaseEvent[], readonly BaseEvent[]> = {
  name: 'branch',
  version: 1,
  scope: 'branch',
  initial: () => [],
  apply(events, event) {
    events.push(event);
    return events;
  },
  read: (events) => events.slice(),
  encode: () => null,
  decode: () => [],
};

/** Returns the active branch of a log, which is what a format without branches can hold. */
export async function activeBranch(entries: readonly LogEntry[]): Promise<ActiveBranch> {
  const timeline = new Timeline({ codec: eventCodec(builtinKinds), projections: { branch } });
  await timeline.load((from) => entries.slice(from));
  const events = timeline.read('branch');
  const count = entries.length - events.length;
  const reason = 'The format has no branches, and only the active one is written.';
  return { events, dropped: count > 0 ? [{ subject: 'events of other branches', count, reason }] : [] };
}
