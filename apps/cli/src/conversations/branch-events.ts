import type { ConversationState } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { LogEntry } from '@varve/events/projections';
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
  const place = new BranchPlace();
  for await (const { event } of log.events({ from })) {
    stored.push(event);
    place.add({ ...event, parentId: event.parent_id });
  }
  const ids = place.idsBefore(log.state.leafId);
  return stored.filter(({ id }) => ids.has(id));
}

/** Follows which event each event of a log continues. */
export class BranchPlace {
  readonly #parents = new Map<string, string | undefined>();
  readonly #updates: string[] = [];
  #last: string | undefined;

  add({ id, kind, parentId }: Pick<LogEntry, 'id' | 'kind' | 'parentId'>): void {
    this.#parents.set(id, parentId ?? this.#last);
    this.#last = id;
    if (kind === ConversationStateUpdateEvent.kind) this.#updates.push(id);
  }

  /** Returns the ids of the branch that ends in an event, with the state updates that were stored on it. */
  idsBefore(leafId: string | undefined): ReadonlySet<string | undefined> {
    const branch = new Set<string | undefined>([undefined, '__root__']);
    for (let id = leafId; id !== undefined && !branch.has(id); id = this.#parents.get(id)) branch.add(id);
    for (const id of this.#updates) if (branch.has(this.#parents.get(id))) branch.add(id);
    return branch;
  }
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
