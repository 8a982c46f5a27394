import { isoSeconds, parseIsoTime } from '../../reference/info/iso-time.ts';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { StreamStart } from '../../streams/start.ts';

/** Query parameter for an instant of ISO 8601, parsed to the form of event timestamps. */
export const instant = lazy(() =>
  z
    .stringFormat('datetime', (text) => naiveLocal(text) !== undefined)
    .transform((text) => naiveLocal(text) ?? '')
    .openapi({ type: 'string', format: 'date-time' }),
);

/** Query parameter for an exact cursor: the seq of the last event that the client has; -1 for none. */
export const after_seq = lazy(() => z.coerce.number().int().gte(-1).optional());

/** Parameters that ask for the whole history. `resend_all` is the old form of `resend_mode=all`. */
export const bashQuery = lazy(() =>
  z.object({
    resend_mode: z.enum(['all', 'since']).optional(),
    resend_all: z.stringbool().default(false).openapi({ type: 'boolean', default: false }),
  }),
);

/** Parameters that select the history of a stream of events. */
export const eventQuery = lazy(() =>
  bashQuery().extend({
    after_timestamp: instant().optional(),
    /** Takes precedence over the others. */
    after_seq: after_seq(),
  }),
);

/** Returns true if a client asks for the whole history. */
export function resendsAll({ resend_mode: mode, resend_all }: z.output<ReturnType<typeof bashQuery>>): boolean {
  return mode === 'all' || (mode === undefined && resend_all);
}

/**
 * Returns where a stream starts.
 *
 * @see agent-server 1.43.1, `/sockets/events` (`since` without a timestamp resends nothing; `after_seq` is our own)
 */
export function startOf(query: z.output<ReturnType<typeof eventQuery>>): StreamStart {
  const { resend_mode: mode, after_timestamp: timestamp, after_seq: seq } = query;
  if (seq !== undefined) return { history: 'after', seq };
  if (resendsAll(query)) return { history: 'all' };
  return mode === 'since' && timestamp !== undefined ? { history: 'since', timestamp } : { history: 'none' };
}

/**
 * Returns an instant in the form of event timestamps, so that comparing texts compares times: local time without a
 * zone, and no fraction if it is zero. Text without a zone is local time. Undefined for text that is not ISO 8601.
 *
 * @see agent-server 1.43.1, the filters `timestamp__gte` and `timestamp__lt`
 */
export function naiveLocal(text: string): string | undefined {
  const time = parseIsoTime(text);
  if (!time) return undefined;
  const { wall, micros, offsetMs } = time;
  const local = offsetMs === undefined ? wall : isoSeconds(localOf(Date.parse(`${wall}Z`) - offsetMs));
  return Number(micros) === 0 ? local : `${local}.${micros}`;
}

function localOf(utcMs: number): number {
  return utcMs - new Date(utcMs).getTimezoneOffset() * 60_000;
}
