import { z } from 'zod';
import { defineEvent } from '../define-event.ts';

/**
 * A tool call of an external agent, as it told it over the Agent Client Protocol. One call may be told several times, each
 * time as it stood then; all have its `tool_call_id`. The model never sees it: it made the call itself.
 */
export const ACPToolCallEvent = defineEvent('ACPToolCallEvent', {
  source: 'agent',
  fields: {
    tool_call_id: z.string(),
    title: z.string(),
    /** `pending`, `in_progress`, `completed` or `failed`. */
    status: z.exactOptional(z.string()),
    tool_kind: z.exactOptional(z.string()),
    raw_input: z.exactOptional(z.unknown()),
    raw_output: z.exactOptional(z.unknown()),
    content: z.exactOptional(z.array(z.unknown())),
    is_error: z.boolean().default(false),
  },
});
export type ACPToolCallEvent = ReturnType<typeof ACPToolCallEvent.create>;
