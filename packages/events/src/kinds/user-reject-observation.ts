import * as z from 'zod';
import { text } from '../content.ts';
import { defineEvent } from '../define-event.ts';
import { withFallback } from '../lenient.ts';

/** Rejection of a call by a person or a hook. The model reads the reason. */
export const UserRejectObservation = defineEvent('UserRejectObservation', {
  source: 'environment',
  fields: () => ({
    tool_name: z.string(),
    tool_call_id: z.string(),
    rejection_reason: z.string().default('User rejected the action'),
    rejection_source: withFallback(z.enum(['user', 'hook']), 'hook').default('user'),
    action_id: z.string(),
  }),
  toMessage: ({ rejection_reason, rejection_source, tool_name, tool_call_id }) => ({
    role: 'tool',
    content: [
      text(
        rejection_source === 'user'
          ? `The user did not allow this call. Their reason: ${rejection_reason}`
          : `A hook did not allow this call. Its reason: ${rejection_reason}`,
      ),
    ],
    tool_call_id,
    name: tool_name,
    thinking_blocks: [],
  }),
});
export type UserRejectObservation = ReturnType<typeof UserRejectObservation.create>;
