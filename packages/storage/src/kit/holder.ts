import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { StorageError } from '../contract/error.ts';

/** A process that holds leases. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /**
   * Identifies one run of the machine and one namespace of process ids; empty if the system has no such identifiers.
   */
  readonly boot: string;
}

/** Returns this process as a holder. */
export function thisProcess(): Holder {
  return { host: hostname(), pid: process.pid, boot: boot() };
}

/** A lease as another process finds it. `until` is in UTC milliseconds, by the clock of the holder. */
export type FoundLease = Holder & { readonly until: number };

/** The process that wants a lease. */
export interface Claimant {
  readonly holder: Holder;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Takes also a lease that has not expired, if this process cannot determine whether its holder still runs. */
  readonly takeOver?: boolean | undefined;
}

/** Checks that the holder of a lease is dead, or that the lease has expired. @throws {StorageError} `held`. */
export function checkLease(id: string, lease: FoundLease, { holder, now, takeOver }: Claimant): void {
  if (lease.until <= now() || isDead(lease, holder)) return;
  if (takeOver && !isVisible(lease, holder)) return;
  const name = `process ${lease.pid} on ${lease.host || 'an unknown host'}`;
  // Above, there is no date: the value is damaged, or the clock was wrong.
  const until = new Date(Math.min(lease.until, 8.64e15)).toISOString();
  throw new StorageError('held', `Conversation ${id} is held by ${name} until ${until} or longer.`);
}

/** Returns true if the holder is a process that `self` would see if it still ran, and that no longer runs. */
export function isDead(holder: Holder, self: Holder): boolean {
  if (!isVisible(holder, self)) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    // EPERM: the process runs and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function isVisible(holder: Holder, self: Holder): boolean {
  return holder.host === self.host && holder.boot === self.boot;
}

function boot(): string {
  try {
    // Containers of one machine share its boot id and may share a host name, but not their process ids.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
