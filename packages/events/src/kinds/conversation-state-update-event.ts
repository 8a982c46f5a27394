import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { defineEvent } from '../define-event.ts';
import { withReadRepair } from '../lenient.ts';

/** The reference omits declared fields that are null, the value included. */
const nullWhenAbsent = lazy(() => withReadRepair(z.unknown(), (raw) => raw ?? null));

/** Change of a named value of the conversation; also the container of facts. It never moves the head. */
export const ConversationStateUpdateEvent = defineEvent('ConversationStateUpdateEvent', {
  source: 'environment',
  fields: () => ({ key: z.string(), value: nullWhenAbsent() }),
  movesHead: false,
});
export type ConversationStateUpdateEvent = ReturnType<typeof ConversationStateUpdateEvent.create>;
