import { z } from 'zod';
import { defineEvent } from '../define-event.ts';

/** The token ids of one request and its reply, for training. Only some servers of open models give them. */
export const TokenEvent = defineEvent('TokenEvent', {
  fields: { prompt_token_ids: z.array(z.number().int()), response_token_ids: z.array(z.number().int()) },
});
export type TokenEvent = ReturnType<typeof TokenEvent.create>;
