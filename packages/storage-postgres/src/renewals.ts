import type { Connection } from './connection.ts';

/** The right to append: valid while the conversation's row has this epoch. Keys are never reused. */
export interface Lease {
  readonly key: number;
  readonly epoch: number;
}

/** Renews the leases of a store's open conversations. */
export interface Renewals {
  /** Renews a lease, which was just taken or renewed by an append, when a third of its time has passed. */
  keep(lease: Lease): void;
  /** Stops renewing a lease. */
  remove(lease: Lease): void;
}

/** Ticks of the timer in the time of a lease, and from one renewal to the next. */
const ticksPerLease = 6;
const renewalTicks = 2;

/**
 * Creates the renewals of a store: every sixth of `leaseMs`, one statement for all leases that neither it nor an append
 * renewed in the last two of these intervals. With a statement for each, idle conversations cost the database more than
 * appends. A lease that could not be renewed is retried; it is lost only when another holder takes it over.
 */
export function renewals({ sql, lease: send }: Connection, leaseMs: number): Renewals {
  const renewedAt = new Map<Lease, number>();
  let tick = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const renew = async (): Promise<void> => {
    tick += 1;
    const due = [...renewedAt].filter(([, at]) => tick - at >= renewalTicks).map(([lease]) => lease);
    if (due.length === 0) return;
    for (const lease of due) renewedAt.set(lease, tick);
    await send(sql.renewLeases, [leaseMs, due.map(({ key }) => key), due.map(({ epoch }) => epoch)]);
  };
  return {
    keep(lease) {
      renewedAt.set(lease, tick);
      // The next append shows whether a lease is still held.
      timer ??= setInterval(() => void renew().catch(() => {}), leaseMs / ticksPerLease).unref();
    },
    remove(lease) {
      renewedAt.delete(lease);
      if (renewedAt.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
