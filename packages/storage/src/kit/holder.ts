import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The process that holds a lease. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** Names one run of the machine and one space of process ids in it; empty where the system has no such name. */
  readonly boot: string;
}

/** This process as a holder. */
export function thisProcess(): Holder {
  return { host: hostname(), pid: process.pid, boot: boot() };
}

/** Whether the holder is a process that this one would see if it still ran, and does not see. */
export function isDead(holder: Holder, self: Holder): boolean {
  if (holder.host !== self.host || holder.boot !== self.boot) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    // EPERM: it runs and belongs to another user.
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
