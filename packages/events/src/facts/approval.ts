import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Approval of one pending action in its stored form: the digest covers the stored bytes of its event, and the changed
 * action, if there is one.
 */
export const approvalFact = defineFact('varve.approval', () =>
  z.strictObject({
    action_id: z.string(),
    digest: z.string(),
    by: z.string(),
    at: z.number().int(),
    /** Directories in which a command was approved to start, absolute or relative to the workspace; default that. */
    directories: z.exactOptional(z.array(z.string())),
    /** Action that runs in place of the stored one, which counts as rejected. */
    action: z.exactOptional(z.looseObject({ kind: z.string() })),
  }),
);
