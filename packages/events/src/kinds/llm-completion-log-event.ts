import * as z from 'zod';
import { defineEvent } from '../define-event.ts';

/** Log of one model call for a client that stores such logs: a file name and the JSON text of the file. */
export const LLMCompletionLogEvent = defineEvent('LLMCompletionLogEvent', {
  source: 'environment',
  fields: () => ({
    filename: z.string(),
    log_data: z.string(),
    model_name: z.string().default('unknown'),
    usage_id: z.string().default('default'),
  }),
});
export type LLMCompletionLogEvent = ReturnType<typeof LLMCompletionLogEvent.create>;
