import { z } from 'zod';
import { textContent } from '../content.ts';
import { anyPayload } from '../define-payload.ts';
import { defineEvent } from '../define-event.ts';

/** The instructions a conversation starts with, and the tools as they were offered then. */
export const SystemPromptEvent = defineEvent('SystemPromptEvent', {
  source: 'agent',
  fields: {
    system_prompt: textContent,
    /** Tool definitions as the reference writes them; requests take their schemas from the running agent instead. */
    tools: z.array(anyPayload),
    dynamic_context: z.exactOptional(textContent),
  },
  toMessage: ({ system_prompt, dynamic_context }) => ({
    role: 'system',
    content: dynamic_context ? [system_prompt, dynamic_context] : [system_prompt],
    thinking_blocks: [],
  }),
});
export type SystemPromptEvent = ReturnType<typeof SystemPromptEvent.create>;
