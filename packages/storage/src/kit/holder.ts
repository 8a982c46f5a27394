import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { StorageError } from '../contract/error.ts';

/** A process that holds leases. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /**
   * Identifies one run of the machine and one namespace of process ids, and the start of the process in them; empty if
   * the system has no such identifiers.
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

/**
 * Checks that the holder of a lease is dead, or that the lease has expired. A process that this one sees running keeps
 * its lease: their clocks may differ.
 *
 * @throws {StorageError} `held`.
 */
export function checkLease(id: string, lease: FoundLease, { holder, now, takeOver }: Claimant): void {
  const state = stateOf(lease, holder);
  if (state === 'dead' || (state === 'unknown' && lease.until <= now())) return;
  if (takeOver && !isVisible(lease, holder)) return;
  const name = `process ${lease.pid} on ${lease.host || 'an unknown host'}`;
  if (state === 'runs') throw new StorageError('held', `Conversation ${id} is held by ${name}, which runs.`);
  // Above, there is no date: the value is damaged, or the clock was wrong.
  const until = new Date(Math.min(lease.until, 8.64e15)).toISOString();
  throw new StorageError('held', `Conversation ${id} is held by ${name} until ${until} or longer.`);
}

/** Returns true if the holder is a process that `self` would see if it still ran, and that no longer runs. */
export function isDead(holder: Holder, self: Holder): boolean {
  return stateOf(holder, self) === 'dead';
}

/** Returns true if the process ids of two processes are those of one machine. */
export function isVisible(holder: Holder, self: Holder): boolean {
  return holder.host === self.host && machineOf(holder) === machineOf(self);
}

/** Returns the part of `boot` that all processes of a machine have. */
export function machineOf(holder: Pick<Holder, 'boot'>): string {
  return holder.boot.split(' ', 2).join(' ');
}

/** Returns what `self` sees of a holder. A lease of this process, or of one that was stopped, is as long as it is. */
function stateOf(holder: Holder, self: Holder): 'dead' | 'runs' | 'unknown' {
  if (!isVisible(holder, self)) return 'unknown';
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: the process runs and belongs to another user.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return 'dead';
  }
  const { state, start } = statusOf(holder.pid);
  const [, , heldStart] = holder.boot.split(' ');
  if (state === undefined || heldStart === undefined || holder.pid === self.pid) return 'unknown';
  if (/[ZX]/.test(state) || start !== heldStart) return 'dead';
  return /[Tt]/.test(state) ? 'unknown' : 'runs';
}

/** Returns the state of a process, and its start in the time of the machine, as far as the system reports them. */
function statusOf(pid: number): { readonly state?: string | undefined; readonly start?: string | undefined } {
  try {
    // Of another namespace, it describes other processes.
    if (readlinkSync('/proc/self') !== String(process.pid)) return {};
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], start: fields[19] };
  } catch {
    return {};
  }
}

function boot(): string {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // Containers of one machine share its boot id and may share a host name, but not their process ids.
    return [bootId, readlinkSync('/proc/self/ns/pid'), statusOf(process.pid).start ?? ''].join(' ').trim();
  } catch {
    return '';
  }
}
