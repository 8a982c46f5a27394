import * as z from 'zod';
import { defineEvent } from '../define-event.ts';

/** Failure of the server itself. Sent to clients on sockets, not stored. */
export const ServerErrorEvent = defineEvent('ServerErrorEvent', {
  fields: () => ({ code: z.string(), detail: z.string() }),
});
export type ServerErrorEvent = ReturnType<typeof ServerErrorEvent.create>;
