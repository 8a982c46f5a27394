import * as z from 'zod';
import { defineEvent } from '../define-event.ts';
import { errorClassification } from './error-classification.ts';

/** Failure that ended a run, described for people. The model does not see it. */
export const ConversationErrorEvent = defineEvent('ConversationErrorEvent', {
  fields: () => ({ code: z.string(), detail: z.string(), classification: z.exactOptional(errorClassification()) }),
});
export type ConversationErrorEvent = ReturnType<typeof ConversationErrorEvent.create>;
