import { execFileSync } from 'node:child_process';
import { attempt } from '../files/attempt.ts';
import { statusOf } from './process-table.ts';

/**
 * Sends a signal to a process, or to a process group when `target` is negative. Ignores a target that does not exist.
 */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // Already gone.
  }
}

/** Returns the foreground process group of the terminal of process `pid`; undefined without a terminal or process. */
export function foregroundGroup(pid: number): number | undefined {
  const group = Number(process.platform === 'linux' ? attempt(() => statusOf(pid)[5]) : fromPs(pid));
  return Number.isInteger(group) && group > 1 ? group : undefined;
}

function fromPs(pid: number): string | undefined {
  return attempt(() => execFileSync('ps', ['-o', 'tpgid=', '-p', String(pid)], { encoding: 'utf8', timeout: 500 }));
}
