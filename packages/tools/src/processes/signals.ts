import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

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
  const group = Number(process.platform === 'linux' ? fromProc(pid) : fromPs(pid));
  return Number.isInteger(group) && group > 1 ? group : undefined;
}

function fromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain any character; the fields after it are state, parent, group, session,
    // terminal, foreground group.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[5];
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'tpgid=', '-p', String(pid)], { encoding: 'utf8', timeout: 500 }).trim();
  } catch {
    return undefined;
  }
}
