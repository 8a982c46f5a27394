import type { Variables } from '@varve/text';
import { ServerError } from '../../error.ts';
import { timestampOf } from './bash-event.ts';
import type { BashEventStore } from './bash-event-store.ts';

/** How long events are kept. */
export interface BashRetention {
  /** Milliseconds; absent, the age does not matter. */
  readonly maxAgeMs?: number | undefined;
  /** Number of events; the oldest are removed. */
  readonly maxEvents: number;
}

/** Number of events that are kept. The reference keeps all. */
const mostEvents = 10_000;

/** Time between two removals: each lists all events. */
const pauseMs = 60_000;

/**
 * Returns the retention that OH_BASH_EVENTS_RETENTION_SECONDS configures.
 *
 * @throws {ServerError} `invalid` unless it is a number above 0.
 * @see agent-server 1.43.1 configuration, `bash_events_retention_seconds`
 */
export function retentionOf({ OH_BASH_EVENTS_RETENTION_SECONDS: text }: Variables): BashRetention {
  if (!text?.trim()) return { maxEvents: mostEvents };
  const seconds = Number(text);
  if (!(seconds > 0)) throw new ServerError('invalid', 'OH_BASH_EVENTS_RETENTION_SECONDS is not a number above 0.');
  return { maxAgeMs: seconds * 1000, maxEvents: mostEvents };
}

/** Returns a function that removes events beyond the limits, once per minute at most. */
export function oldEvents(
  store: BashEventStore,
  { maxAgeMs = Infinity, maxEvents }: BashRetention,
  now: () => number,
): () => Promise<void> {
  let next = -Infinity;
  return async () => {
    if (now() < next) return;
    next = now() + pauseMs;
    const names = await store.names();
    const since = timestampOf(Math.max(0, now() - maxAgeMs) * 1000).replaceAll(/\D/g, '');
    const excess = names.length - maxEvents;
    // Names begin with the time.
    await store.remove(names.filter((name, index) => index < excess || name < since));
  };
}
