import * as z from 'zod';
import { textContent } from '../content.ts';
import { criticResult } from './critic-result.ts';
import { defineEvent } from '../define-event.ts';
import { message } from '../message.ts';

/** Message of the user, of the model as plain text, or of the framework in the role of a user. */
export const MessageEvent = defineEvent('MessageEvent', {
  fields: () => ({
    llm_message: message(),
    llm_response_id: z.exactOptional(z.string()),
    activated_skills: z.array(z.string()).default([]),
    /** Text that the framework added for the model (skills, context). It follows the message. */
    extended_content: z.array(textContent()).default([]),
    sender: z.exactOptional(z.string()),
    critic_result: z.exactOptional(criticResult()),
  }),
  toMessage: ({ llm_message, extended_content }) =>
    extended_content.length === 0
      ? llm_message
      : { ...llm_message, content: [...llm_message.content, ...extended_content] },
});
export type MessageEvent = ReturnType<typeof MessageEvent.create>;
