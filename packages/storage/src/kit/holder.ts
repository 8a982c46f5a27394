import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

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

/** Returns true if the holder is a process that `self` would see if it still ran, and that no longer runs. */
export function isDead(holder: Holder, self: Holder): boolean {
  if (holder.host !== self.host || holder.boot !== self.boot) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    // EPERM: the process runs and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function boot(): string {
  try {
    // Containers of one machine share its boot id and may share a host name, but not their process ids.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
