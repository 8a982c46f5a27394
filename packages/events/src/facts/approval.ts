import { z } from 'zod';
import { defineFact } from './define-fact.ts';

/** Someone allowed one pending action, exactly as it stands: the digest covers the stored bytes of its event. */
export const approvalFact = defineFact(
  'varve.approval',
  z.strictObject({ action_id: z.string(), digest: z.string(), by: z.string(), at: z.number().int() }),
);
