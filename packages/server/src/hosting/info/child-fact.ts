import { defineFact } from '@varve/events/facts';
import * as z from 'zod';

/** In the log of a parent: a client created a conversation with this one as its parent. Steers nothing. */
export const childFact = defineFact(
  'varve.server.child',
  z.strictObject({
    /** 32 hex digits. */
    conversation_id: z.string(),
  }),
);
