import type { ConversationState } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { FollowedEvents } from '@varve/host';

/** Log of a conversation that is open, or that another process holds. */
export interface FollowedLog extends FollowedEvents {
  /** Directory of the agent. */
  readonly workspace: string;
  readonly state: Pick<ConversationState, 'head' | 'leafId' | 'stats'> & Partial<Pick<ConversationState, 'pending'>>;
}

/** Returns the events of the active branch from a seq on, with the state updates that were stored on it. */
export async function branchEvents(
  log: Pick<FollowedLog, 'events' | 'state'>,
  from = 0,
): Promise<readonly BaseEvent[]> {
  const stored: BaseEvent[] = [];
  const parents = new Map<string, string | undefined>();
  for await (const { event } of log.events({ from })) {
    parents.set(event.id, event.parent_id ?? stored.at(-1)?.id);
    stored.push(event);
  }
  const branch = new Set<string | undefined>([undefined, '__root__']);
  for (let id = log.state.leafId; id !== undefined && !branch.has(id); id = parents.get(id)) branch.add(id);
  return stored.filter((event) => {
    if (ConversationStateUpdateEvent.is(event) && branch.has(parents.get(event.id))) branch.add(event.id);
    return branch.has(event.id);
  });
}

/** Returns the last events of the active branch, and the number of stored events before them. */
export async function branchEnd(
  log: Pick<FollowedLog, 'events' | 'state'>,
  count: number,
): Promise<{ readonly events: readonly BaseEvent[]; readonly earlier: number }> {
  const { head } = log.state;
  for (let read = count; ; read *= 2) {
    const earlier = Math.max(0, head - read);
    const events = await branchEvents(log, earlier);
    if (events.length >= count || earlier === 0) return { events, earlier };
  }
}
