import { setTimeout as delay } from 'node:timers/promises';
import { StorageError, type EventStore } from '@varve/storage';

/** Readiness of a server, which is that of its store. */
export interface Readiness {
  /** Returns what prevents requests, without the location of the store; undefined for nothing. */
  readonly problem: () => Promise<string | undefined>;
}

/**
 * Time for which a server is ready after its store has answered, as long as leases last. Requests wait for a database
 * that restarts, so that an outage of some seconds is no reason to take all replicas from their balancer.
 */
const lagMs = 15_000;

/** Longest waits for the store: probes have a limit of a few seconds. */
const [firstMs, laterMs] = [2_000, 500];

/** Creates the readiness of a server. @param now - Returns milliseconds of a clock that is never set. */
export function readiness(store: Pick<EventStore, 'list'>, now: () => number): Readiness {
  let answeredAt = -Infinity;
  let asking: Promise<string | undefined> | undefined;
  const isRecent = (): boolean => now() - answeredAt < lagMs;
  const ask = async (): Promise<string | undefined> => {
    try {
      await store.list({ limit: 1 });
      answeredAt = now();
      return undefined;
    } catch (error) {
      if (error instanceof StorageError) return 'The store cannot be read.';
      throw error;
    }
  };
  return {
    async problem() {
      // Probes of a store that hangs do not pile up.
      asking ??= ask().finally(() => (asking = undefined));
      const late = delay(isRecent() ? laterMs : firstMs, 'The store does not answer.', { ref: false });
      const problem = await Promise.race([asking, late]);
      return isRecent() ? undefined : problem;
    },
  };
}
