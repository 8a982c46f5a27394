import { z } from 'zod';
import { defineEvent } from '../define-event.ts';
import { errorClassification } from './error-classification.ts';

/** A run that ended in failure: why, for people. The model never sees it. */
export const ConversationErrorEvent = defineEvent('ConversationErrorEvent', {
  fields: { code: z.string(), detail: z.string(), classification: z.exactOptional(errorClassification) },
});
export type ConversationErrorEvent = ReturnType<typeof ConversationErrorEvent.create>;
