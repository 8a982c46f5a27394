import { z } from 'zod';
import { defineEvent } from '../define-event.ts';

/** A failure of the server itself, told to those who listen. Sent on sockets, not stored. */
export const ServerErrorEvent = defineEvent('ServerErrorEvent', {
  fields: { code: z.string(), detail: z.string() },
});
export type ServerErrorEvent = ReturnType<typeof ServerErrorEvent.create>;
