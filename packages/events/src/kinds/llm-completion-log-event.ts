import { z } from 'zod';
import { defineEvent } from '../define-event.ts';

/** The log of one model call on its way to whoever keeps such logs: a file name and the JSON text that belongs into it. */
export const LLMCompletionLogEvent = defineEvent('LLMCompletionLogEvent', {
  source: 'environment',
  fields: {
    filename: z.string(),
    log_data: z.string(),
    model_name: z.string().default('unknown'),
    usage_id: z.string().default('default'),
  },
});
export type LLMCompletionLogEvent = ReturnType<typeof LLMCompletionLogEvent.create>;
