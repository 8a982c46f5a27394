import { readFileSync, statSync } from 'node:fs';

/**
 * Returns the other processes that hold locks on a database, as a phrase for a message: `process 123, which is
 * stopped`. Undefined if the system does not list locks (it does on Linux), or lists none.
 *
 * @see https://man7.org/linux/man-pages/man5/proc_locks.5.html
 */
export function lockHolders(path: string): string | undefined {
  const inodes = new Set([path, `${path}-shm`].flatMap((file) => statSync(file, { throwIfNoEntry: false })?.ino ?? []));
  const pids = lines('/proc/locks').flatMap((line) => {
    // 1: POSIX  ADVISORY  WRITE 123 08:01:456 0 EOF
    const [, pid, inode] = /^\d+: POSIX .* (?:READ|WRITE) (\d+) \S+:(\d+) /.exec(line) ?? [];
    return inodes.has(Number(inode)) && Number(pid) !== process.pid ? [Number(pid)] : [];
  });
  const holders = [...new Set(pids)].map((pid) => `process ${pid}${isStopped(pid) ? ', which is stopped' : ''}`);
  return holders.length === 0 ? undefined : holders.join(' and ');
}

/** Returns true for a process that a signal stopped, such as Ctrl-Z in its terminal. */
function isStopped(pid: number): boolean {
  return lines(`/proc/${pid}/status`).some((line) => /^State:\s+[Tt]/.test(line));
}

function lines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
