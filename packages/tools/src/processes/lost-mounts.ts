import { readFileSync } from 'node:fs';
import { attempt } from '../files/attempt.ts';

/**
 * Returns a test of whether a process in a sandbox has lost a mount. The kernel ends one when another program replaces
 * or removes the file that it covers, as git, editors and package managers do: the new file is neither protected nor
 * hidden there. Without a sandbox there is no mount that could be lost.
 */
export function lostMounts(pid: number): () => boolean {
  const shared = mountPoints('self');
  const own = [...mountPoints(pid)].filter((path) => !shared.has(path));
  return () => {
    const now = mountPoints(pid);
    return now.size > 0 && own.some((path) => !now.has(path));
  };
}

/** Returns the paths at which something is mounted for a process, as the kernel writes them; none if it has ended. */
function mountPoints(pid: number | 'self'): ReadonlySet<string> {
  const table = attempt(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8')) ?? '';
  return new Set(table.split('\n').flatMap((line) => line.split(' ')[4] ?? []));
}
