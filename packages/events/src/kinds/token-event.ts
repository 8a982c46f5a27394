import * as z from 'zod';
import { defineEvent } from '../define-event.ts';

/** Token ids of one request and its reply, for training. Only some servers of open models return them. */
export const TokenEvent = defineEvent('TokenEvent', {
  fields: () => ({ prompt_token_ids: z.array(z.number().int()), response_token_ids: z.array(z.number().int()) }),
});
export type TokenEvent = ReturnType<typeof TokenEvent.create>;
