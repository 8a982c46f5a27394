import * as z from 'zod';
import { text } from '../content.ts';
import { defineEvent } from '../define-event.ts';
import { errorClassification } from './error-classification.ts';

/** Failure of a call before or outside its tool: unknown tool, invalid arguments, lost outcome. The model reads it. */
export const AgentErrorEvent = defineEvent('AgentErrorEvent', {
  source: 'agent',
  fields: () => ({
    tool_name: z.string(),
    tool_call_id: z.string(),
    error: z.string(),
    classification: errorClassification().default({ kind: 'unknown', retryable: false, user_action: 'none' }),
  }),
  toMessage: ({ error, tool_name, tool_call_id }) => ({
    role: 'tool',
    content: [text(error)],
    tool_call_id,
    name: tool_name,
    thinking_blocks: [],
  }),
});
export type AgentErrorEvent = ReturnType<typeof AgentErrorEvent.create>;
