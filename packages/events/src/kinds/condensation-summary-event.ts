import * as z from 'zod';
import { text } from '../content.ts';
import { defineEvent } from '../define-event.ts';

/** Summary of forgotten events in a view. Never stored: the view creates it with the id `<condensation id>-summary`. */
export const CondensationSummaryEvent = defineEvent('CondensationSummaryEvent', {
  source: 'environment',
  fields: () => ({ summary: z.string() }),
  toMessage: ({ summary }) => ({ role: 'user', content: [text(summary)], thinking_blocks: [] }),
});
export type CondensationSummaryEvent = ReturnType<typeof CondensationSummaryEvent.create>;
