import { z } from '@hono/zod-openapi';
import { after_seq, instant } from './query.ts';
import type { StreamStart } from '../../streams/start.ts';

/** Parameters that ask for the whole history. `resend_all` is the old form of `resend_mode=all`. */
export const bashQuery = z.object({
  resend_mode: z.enum(['all', 'since']).optional(),
  resend_all: z.stringbool().default(false).openapi({ type: 'boolean', default: false }),
});

/** Parameters that select the history of a stream of events. */
export const eventQuery = bashQuery.extend({
  after_timestamp: instant.optional(),
  /** Takes precedence over the others. */
  after_seq,
});

/** Returns true if a client asks for the whole history. */
export function resendsAll({ resend_mode: mode, resend_all }: z.output<typeof bashQuery>): boolean {
  return mode === 'all' || (mode === undefined && resend_all);
}

/**
 * Returns where a stream starts.
 *
 * @see agent-server 1.43.1, `/sockets/events` (`since` without a timestamp resends nothing; `after_seq` is our own)
 */
export function startOf(query: z.output<typeof eventQuery>): StreamStart {
  const { resend_mode: mode, after_timestamp: timestamp, after_seq: seq } = query;
  if (seq !== undefined) return { history: 'after', seq };
  if (resendsAll(query)) return { history: 'all' };
  return mode === 'since' && timestamp !== undefined ? { history: 'since', timestamp } : { history: 'none' };
}
