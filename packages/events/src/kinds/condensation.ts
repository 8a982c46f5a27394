import * as z from 'zod';
import { defineEvent } from '../define-event.ts';

/**
 * Removal of events from the view of the model. A summary may be inserted at `summary_offset` of the remaining view.
 */
export const Condensation = defineEvent('Condensation', {
  source: 'environment',
  fields: () => ({
    forgotten_event_ids: z.array(z.string()).default([]),
    summary: z.exactOptional(z.string()),
    /** Index into the view after the removal; an index past the end appends. */
    summary_offset: z.exactOptional(z.number().int().nonnegative()),
    llm_response_id: z.string(),
  }),
});
export type Condensation = ReturnType<typeof Condensation.create>;
