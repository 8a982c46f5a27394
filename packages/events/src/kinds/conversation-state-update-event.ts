import { z } from 'zod';
import { defineEvent } from '../define-event.ts';
import { withReadRepair } from '../lenient.ts';

/** The reference leaves out a value that is null, as it does every declared field. */
const nullWhenAbsent = withReadRepair(z.unknown(), (raw) => raw ?? null);

/** A named value of the conversation changed; also the vehicle of facts. A side leaf: it never moves the head. */
export const ConversationStateUpdateEvent = defineEvent('ConversationStateUpdateEvent', {
  source: 'environment',
  fields: { key: z.string(), value: nullWhenAbsent },
  movesHead: false,
});
export type ConversationStateUpdateEvent = ReturnType<typeof ConversationStateUpdateEvent.create>;
