import * as z from 'zod';
import { defineEvent } from '../define-event.ts';

/** Part of a reply that is still being generated. Sent on sockets, not stored: the whole reply follows as an event. */
export const StreamingDeltaEvent = defineEvent('StreamingDeltaEvent', {
  source: 'agent',
  fields: () => ({ content: z.exactOptional(z.string()), reasoning_content: z.exactOptional(z.string()) }),
});
export type StreamingDeltaEvent = ReturnType<typeof StreamingDeltaEvent.create>;
