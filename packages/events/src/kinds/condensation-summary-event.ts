import { z } from 'zod';
import { text } from '../content.ts';
import { defineEvent } from '../define-event.ts';

/** What stands in a view for the events a condensation forgot. Never stored: the view makes it, id `<condensation id>-summary`. */
export const CondensationSummaryEvent = defineEvent('CondensationSummaryEvent', {
  source: 'environment',
  fields: { summary: z.string() },
  toMessage: ({ summary }) => ({ role: 'user', content: [text(summary)], thinking_blocks: [] }),
});
export type CondensationSummaryEvent = ReturnType<typeof CondensationSummaryEvent.create>;
