import { lazy, freezeJson, type Json } from '@varve/events';
import { stateFields, type Projection } from '@varve/events/projections';
import * as z from 'zod';

const json = lazy(() => z.json().catch(null));

/** Update of a policy field. */
interface PolicyUpdate {
  readonly seq: number;
  readonly value: z.output<ReturnType<typeof json>>;
}

/** Confirmation of calls according to the events of a log: the last update of each field. */
export interface Policies {
  /** Number of events up to the last update. */
  readonly head: number;
  readonly confirmation_policy?: PolicyUpdate;
  readonly security_analyzer?: PolicyUpdate;
}

/**
 * Policies that were set by events, for example while another application had the conversation open.
 *
 * @see software-agent-sdk set_confirmation_policy, set_security_analyzer: both leave a state update
 */
export const policiesProjection: Projection<Policies> = {
  name: 'policies',
  version: 1,
  scope: 'log',
  initial: () => ({ head: 0 }),
  apply(policies, event, seq) {
    const fields = stateFields(event).filter(([key]) => key === 'confirmation_policy' || key === 'security_analyzer');
    if (fields.length === 0) return policies;
    const updates = fields.map(([key, value]) => [key, { seq, value: json().parse(value) }] as const);
    return { ...policies, ...Object.fromEntries(updates), head: seq + 1 };
  },
  read: (policies) => freezeJson(policies),
  encode: (policies) => JSON.parse(JSON.stringify(policies)) as Json,
  decode: (state) => state as unknown as Policies,
};
