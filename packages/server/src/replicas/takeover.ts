import { createHash } from 'node:crypto';
import type { Replicas } from '@varve/storage';

/** Options of {@link watchAbandoned}. */
export interface WatchOptions {
  readonly replicas: Pick<Replicas, 'abandoned'>;
  /** URL of this replica. */
  readonly address: string;
  /** Continues the runs of these conversations that no process executes. */
  readonly recover: (ids: readonly string[]) => Promise<void>;
  /** Calls a function repeatedly, until the result is disposed. */
  readonly every: (ms: number, tick: () => void) => Disposable;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
}

/** With leases of 15 seconds, runs of a replica that ended continue elsewhere within 17. */
const checkMs = 2_000;

/**
 * Time after an outage of the store during which nothing is taken over: the leases of live replicas expired with it,
 * and are renewed every 5 seconds. A look of less than `outageMs` is no such outage, but that of a slow store.
 */
const graceMs = 10_000;
const outageMs = 6_000;

/** Looks for the conversations of replicas that ended, until it is disposed. */
export interface Watch extends Disposable {
  /** Looks now: there is room for a run. */
  look(): void;
}

/** Continues the conversations of replicas that ended, and those for which others have no room. */
export function watchAbandoned({ replicas, address, recover, every, now, onFailure }: WatchOptions): Watch {
  let isChecking = false;
  let isWanted = false;
  let checkedAt = now();
  const check = async (): Promise<void> => {
    const startedAt = now();
    const ids = await replicas.abandoned();
    // A check waits for a store that cannot be reached.
    const isAfterOutage = now() - startedAt > outageMs;
    if (isAfterOutage) checkedAt = now() + graceMs;
    // One that opens slowly, with a server of tools that hangs, delays no others.
    void recover(now() < checkedAt ? [] : inOrderOf(address, ids)).catch(onFailure);
  };
  const look = (): void => {
    isWanted = true;
    if (isChecking) return;
    isChecking = true;
    void looked().finally(() => (isChecking = false));
  };
  const looked = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      await check().catch((error: unknown) => {
        checkedAt = now() + graceMs;
        onFailure(error);
      });
    }
  };
  const timer = every(checkMs, look);
  return { look, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** Number of conversations that replicas take in different orders, so that two do not open the same one. */
const shuffledFirst = 32;

/** Of those that wait longest, replicas that look at the same time begin with different ones. */
function inOrderOf(address: string, ids: readonly string[]): readonly string[] {
  const keyOf = (id: string): string => createHash('sha256').update(`${address} ${id}`).digest('hex');
  const first = ids
    .slice(0, shuffledFirst)
    .map((id) => [keyOf(id), id] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, id]) => id);
  return [...first, ...ids.slice(shuffledFirst)];
}
