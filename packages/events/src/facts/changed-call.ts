import * as z from 'zod';
import { anyObservation, anyPayload } from '../define-payload.ts';
import { defineFact } from './define-fact.ts';

/**
 * Action that ran in place of that of a call, as a person approved it, and its observation. Stored before the
 * rejection that answers the call, in the same append.
 */
export const changedCallFact = defineFact('varve.changed_call', () =>
  z.strictObject({
    action_id: z.string(),
    action: anyPayload(),
    observation: anyObservation(),
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);
