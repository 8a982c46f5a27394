import * as z from 'zod';
import { textContent } from '../content.ts';
import { anyPayload } from '../define-payload.ts';
import { defineEvent } from '../define-event.ts';

/** Initial instructions of a conversation, and the tools that were offered with them. */
export const SystemPromptEvent = defineEvent('SystemPromptEvent', {
  source: 'agent',
  fields: () => ({
    system_prompt: textContent(),
    /** Tool definitions in the form of the reference. Requests use the schemas of the running agent instead. */
    tools: z.array(anyPayload()),
    dynamic_context: z.exactOptional(textContent()),
  }),
  toMessage: ({ system_prompt, dynamic_context }) => ({
    role: 'system',
    content: dynamic_context ? [system_prompt, dynamic_context] : [system_prompt],
    thinking_blocks: [],
  }),
});
export type SystemPromptEvent = ReturnType<typeof SystemPromptEvent.create>;
