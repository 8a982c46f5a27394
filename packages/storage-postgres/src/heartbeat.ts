import { randomUUID } from 'node:crypto';
import type { Holder } from '@varve/storage';
import type { Connection } from './connection.ts';

/** The right to append: valid while the conversation's row has this epoch. Keys are never reused. */
export interface Lease {
  readonly key: number;
  readonly epoch: number;
}

/** Row of a store in the database, by which other processes see that its leases last. */
export interface Heartbeat {
  /** Name of the store in its leases. */
  readonly name: string;
  /** Resolves when the row is stored, which it is renewed from then on. Called before a lease is taken. */
  begin(): Promise<void>;
  /**
   * Notes that a log is opened, until the result is called: without its lease, or with a lease that may have remained.
   * That would be renewed with all others, so it is left to any process with the next renewal.
   */
  hold(id: string): (isReleased: boolean) => void;
  /** Ends the renewals, and all leases that could not be released. */
  end(): Promise<void>;
}

/** Time of a lease in its own columns, which processes of schema version 4 read instead of heartbeats. */
export const columnMs = 3_600_000;

const beatsPerLease = 3;
/** Time after which the row of a process that ended is removed: no lease names it any more. */
const forgottenMs = 86_400_000;

/**
 * Creates the heartbeat of a store: one statement for all its leases, however many there are. One that fails is
 * followed by the next; a lease is lost only when another process takes it.
 */
export function heartbeat({ sql, lease: send }: Connection, leaseMs: number, holder: Holder): Heartbeat {
  const name = randomUUID();
  const { host, pid, boot } = holder;
  let timer: ReturnType<typeof setInterval> | undefined;
  let begun: Promise<void> | undefined;
  const { hold, leave } = remainingLeases({ sql, lease: send }, name);
  const beat = async (ms: number) => send(sql.beat, [name, host, pid, boot, ms]);
  const begin = async (): Promise<void> => {
    await beat(leaseMs);
    // The next append shows whether a lease is still held.
    const renew = async () => beat(leaseMs).then(leave);
    timer = setInterval(() => void renew().catch(() => {}), leaseMs / beatsPerLease).unref();
    await send(sql.forgetProcesses, [forgottenMs]);
  };
  return {
    name,
    hold,
    async begin() {
      begun ??= begin().catch((error: unknown) => {
        begun = undefined;
        throw error;
      });
      await begun;
    },
    async end() {
      clearInterval(timer);
      // A database that cannot be reached has the row until it is too old.
      if (begun) await beat(0).catch(() => {});
    },
  };
}

/** Returns the leases that a store may have after their logs are closed. */
function remainingLeases({ sql, lease: send }: Pick<Connection, 'sql' | 'lease'>, name: string) {
  const held = new Set<{ readonly id: string }>();
  const remaining = new Set<string>();
  const hold: Heartbeat['hold'] = (id) => {
    const log = { id };
    held.add(log);
    return (isReleased) => {
      held.delete(log);
      if (!isReleased) remaining.add(id);
    };
  };
  const leave = async (): Promise<void> => {
    for (const id of remaining) {
      const [row] = await send(sql.ownLease, [id, name]);
      // A later lease has another epoch.
      const isHeld = held.values().some((log) => log.id === id);
      if (row && !isHeld) await send(sql.leaveLease, [row['key'], row['lease_epoch']]);
      remaining.delete(id);
    }
  };
  return { hold, leave };
}
