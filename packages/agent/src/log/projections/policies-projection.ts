import type { Json } from '@varve/events';
import { stateFields, type Projection } from '@varve/events/projections';
import { z } from 'zod';

const json = z.json().catch(null);

/** What an event says about how calls are confirmed. */
interface PolicyUpdate {
  readonly seq: number;
  readonly value: z.output<typeof json>;
}

/** How calls are confirmed, as far as events of a log say: the last update of each field. */
export interface Policies {
  /** Number of events up to the last update. */
  readonly head: number;
  readonly confirmation_policy?: PolicyUpdate;
  readonly security_analyzer?: PolicyUpdate;
}

/**
 * The policies that were set while a conversation was open elsewhere.
 *
 * @see software-agent-sdk set_confirmation_policy, set_security_analyzer: both leave a state update
 */
export const policiesProjection: Projection<Policies> = {
  name: 'policies',
  version: 1,
  scope: 'log',
  initial: () => ({ head: 0 }),
  apply(policies, event, seq) {
    const told = stateFields(event).filter(([key]) => key === 'confirmation_policy' || key === 'security_analyzer');
    if (told.length === 0) return policies;
    const updates = told.map(([key, value]) => [key, { seq, value: json.parse(value) }] as const);
    return { ...policies, ...Object.fromEntries(updates), head: seq + 1 };
  },
  read: (policies) => policies,
  encode: (policies) => JSON.parse(JSON.stringify(policies)) as Json,
  decode: (state) => state as unknown as Policies,
};
