import { lazy, freezeJson, type Json } from '@varve/events';
import { importFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { stateFields, type Projection } from '@varve/events/projections';
import * as z from 'zod';
import type { Draft } from '../drafts.ts';

/** Verdict of a judge about a goal. */
export interface GoalVerdict {
  /** Probability that the whole objective is met, from 0 to 1. */
  readonly score: number;
  readonly complete: boolean;
  /** Description of what remains; empty if nothing does. */
  readonly missing: string;
}

/**
 * State of a goal, as it is stored: value of a state update with the key `goal`. `capped` means that its last round did
 * not meet the objective; an `interrupted` goal can be resumed.
 *
 * @see software-agent-sdk GoalStatus
 */
export interface GoalState {
  readonly active: boolean;
  readonly status: 'running' | 'complete' | 'capped' | 'interrupted';
  /** Number of rounds that were judged. */
  readonly iteration: number;
  /** Maximum number of rounds. */
  readonly max_iterations: number;
  readonly objective: string;
  /** Verdict about the last round, once there is one. */
  readonly verdict: GoalVerdict | null;
}

/** Key of the state updates of a goal. */
export const goalKey = 'goal';

const verdict = lazy((): z.ZodType<GoalVerdict> =>
  z.object({
    score: z.number(),
    complete: z.boolean(),
    missing: z.string(),
  }),
);

const goalState = lazy((): z.ZodType<GoalState> =>
  z.object({
    active: z.boolean(),
    status: z.enum(['running', 'complete', 'capped', 'interrupted']),
    iteration: z.int().nonnegative(),
    max_iterations: z.int().positive(),
    objective: z.string(),
    verdict: verdict().nullable().default(null),
  }),
);

/**
 * Folds the state of the last goal. The goal of an imported log does not count, because nothing in it steers a run;
 * neither does an invalid state.
 */
export const goalProjection: Projection<{ readonly goal?: GoalState }> = {
  name: 'goal',
  version: 1,
  scope: 'log',
  initial: () => ({}),
  apply(state, event) {
    if (importFact.read(event)) return {};
    const value = stateFields(event).findLast(([key]) => key === goalKey)?.[1];
    if (value === undefined) return state;
    const parsed = goalState().safeParse(value);
    return parsed.success ? { goal: parsed.data } : {};
  },
  read: (state) => freezeJson(state),
  encode: (state) => JSON.parse(JSON.stringify(state)) as Json,
  decode: (json) => json as unknown as { readonly goal?: GoalState },
};

/** Stores the state of a goal. */
export function goalDraft(goal: GoalState): Draft {
  const value = { ...goal, verdict: goal.verdict && { ...goal.verdict } };
  return { make: (stamp) => ConversationStateUpdateEvent.create({ key: goalKey, value }, stamp) };
}
