import { readlinkSync, statSync } from 'node:fs';

/**
 * Returns the directory of a shell that waits at its prompt: the reported one, unless the system knows another.
 * Commands can change what a shell reports, and move its directory. Only Linux knows the directory of a
 * process; on other systems, and if the directory was deleted, it is the reported one.
 */
export function actualDirectory(pid: number, reported: string): string {
  const link = `/proc/${pid}/cwd`;
  const file = fileOf(link);
  if (file === undefined || file === fileOf(reported)) return reported;
  const real = readlinkSync(link);
  return file === fileOf(real) ? real : reported;
}

/** Returns what identifies a file, with links followed; undefined if it cannot be accessed. */
function fileOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
