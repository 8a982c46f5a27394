import type { Fields } from '../common/foreign-json.ts';
import type { Event } from './event.ts';

/** State of a session, folded from the actions of its events. */
export interface SessionState {
  /** Values by key; a later delta replaces values of the same key. */
  readonly state: Fields;
  /** Latest version of each artifact by file name. */
  readonly artifacts: Readonly<Record<string, number>>;
  /** Agent that the last transfer named, or null. */
  readonly activeAgent: string | null;
  /** Agents that ended by themselves with `end_of_agent`, in order. */
  readonly endedAgents: readonly string[];
  /** True if the last event with actions ended its loop with `escalate`. */
  readonly isEscalated: boolean;
}

/** Folds the actions of events. Partial events are never stored, so they change nothing. */
export function sessionStateOf(events: readonly Event[], initial: Fields = {}): SessionState {
  const stored = events.filter(({ partial }) => partial !== true);
  const ended = stored
    .filter(({ actions }) => actions.end_of_agent === true)
    .map(({ agent_name, author }) => agent_name ?? author);
  return {
    state: merged([initial, ...stored.map(({ actions }) => actions.state_delta)]),
    artifacts: merged(stored.map(({ actions }) => actions.artifact_delta)),
    activeAgent:
      stored.findLast(({ actions }) => actions.transfer_to_agent !== null)?.actions.transfer_to_agent ?? null,
    endedAgents: [...new Set(ended)],
    isEscalated: stored.at(-1)?.actions.escalate === true,
  };
}

function merged<Value>(deltas: readonly Readonly<Record<string, Value>>[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(new Map(deltas.flatMap((delta) => Object.entries(delta))));
}
