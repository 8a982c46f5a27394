import { z } from 'zod';
import { defineEvent } from '../define-event.ts';

/** A named value of the conversation changed; also the vehicle of facts. A side leaf: it never moves the head. */
export const ConversationStateUpdateEvent = defineEvent('ConversationStateUpdateEvent', {
  source: 'environment',
  fields: { key: z.string(), value: z.unknown() },
  movesHead: false,
});
export type ConversationStateUpdateEvent = ReturnType<typeof ConversationStateUpdateEvent.create>;
