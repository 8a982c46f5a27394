import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

/** Maximum number of directories that are searched, the nearest first: 100 ms. */
const maxDirectories = 4000;

/** Names of directories with packages of others, which are searched last. */
export const packageNames: ReadonlySet<string> = new Set(['node_modules', '.venv', 'vendor', 'target']);

/**
 * Returns the paths below a directory whose names a test accepts, up to a limit of searched directories. What is below
 * such a path, below `.git`, and behind links is not searched.
 */
export function findBelow(directory: string, isWanted: (name: string) => boolean): readonly string[] {
  const found: string[] = [];
  const queue = [directory];
  const last: string[] = [];
  for (let searched = 0; searched < maxDirectories; searched++) {
    const next = queue[searched] ?? last[searched - queue.length];
    if (next === undefined) break;
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name);
      if (isWanted(entry.name)) found.push(path);
      else if (entry.isDirectory() && entry.name !== '.git')
        (packageNames.has(entry.name) || searched >= queue.length ? last : queue).push(path);
    }
  }
  return found;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
