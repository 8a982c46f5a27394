import { z } from 'zod';
import { defineEvent } from '../define-event.ts';

/** From here on the model no longer sees these events; a summary may stand at `summary_offset` of what remains. */
export const Condensation = defineEvent('Condensation', {
  source: 'environment',
  fields: {
    forgotten_event_ids: z.array(z.string()).default([]),
    summary: z.exactOptional(z.string()),
    /** Index into the view after forgetting; past the end appends. */
    summary_offset: z.exactOptional(z.number().int().nonnegative()),
    llm_response_id: z.string(),
  },
});
export type Condensation = ReturnType<typeof Condensation.create>;
