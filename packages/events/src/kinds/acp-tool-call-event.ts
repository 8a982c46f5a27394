import * as z from 'zod';
import { defineEvent } from '../define-event.ts';

/**
 * Tool call reported by an external agent over the Agent Client Protocol. A call may be reported once per change of its
 * state; all reports share its `tool_call_id`. The model does not see it, because the external agent made the call.
 */
export const ACPToolCallEvent = defineEvent('ACPToolCallEvent', {
  source: 'agent',
  fields: () => ({
    tool_call_id: z.string(),
    title: z.string(),
    /** `pending`, `in_progress`, `completed` or `failed`. */
    status: z.exactOptional(z.string()),
    tool_kind: z.exactOptional(z.string()),
    raw_input: z.exactOptional(z.unknown()),
    raw_output: z.exactOptional(z.unknown()),
    content: z.exactOptional(z.array(z.unknown())),
    is_error: z.boolean().default(false),
  }),
});
export type ACPToolCallEvent = ReturnType<typeof ACPToolCallEvent.create>;
