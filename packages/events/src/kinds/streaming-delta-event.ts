import { z } from 'zod';
import { defineEvent } from '../define-event.ts';

/** A piece of a reply that is still being made. Sent on sockets, not stored: the whole reply comes as an event of its own. */
export const StreamingDeltaEvent = defineEvent('StreamingDeltaEvent', {
  source: 'agent',
  fields: { content: z.exactOptional(z.string()), reasoning_content: z.exactOptional(z.string()) },
});
export type StreamingDeltaEvent = ReturnType<typeof StreamingDeltaEvent.create>;
