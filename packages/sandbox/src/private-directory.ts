import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the directory for temporary files of this user that no program in a sandbox may read or change, such as the
 * commands of other shells: every sandbox hides it. Without it, because another user has taken its name, that of all
 * temporary files.
 */
export function privateDirectory(): string {
  const user = process.getuid?.() ?? 0;
  const path = join(tmpdir(), `varve-${user}`);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // It exists, or the directory of temporary files cannot be written.
  }
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isPrivate = stats?.isDirectory() === true && stats.uid === user && (stats.mode & 0o077) === 0;
  return isPrivate ? path : tmpdir();
}
