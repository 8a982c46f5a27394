import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

/** Maximum number of directories that are searched, the nearest first. */
const maxDirectories = 4000;
/** The same of those with packages of others, which are searched last, and are many in each project. */
const maxPackages = 500;

/** Names of directories with packages of others. */
export const packageNames: ReadonlySet<string> = new Set(['node_modules', '.venv', 'vendor', 'target']);

/**
 * Returns the paths below a directory whose names a test accepts, up to a limit of searched directories. What is below
 * such a path, below `.git`, and behind links is not searched.
 */
export function findBelow(directory: string, isWanted: (name: string) => boolean): readonly string[] {
  const found: string[] = [];
  const [own, packages] = [[directory], [] as string[]];
  const search = (queue: string[], max: number): void => {
    for (let at = 0; at < Math.min(queue.length, max); at++) {
      const next = queue[at] ?? '';
      for (const entry of entriesOf(next)) {
        const path = join(next, entry.name);
        if (isWanted(entry.name)) found.push(path);
        else if (entry.isDirectory() && entry.name !== '.git')
          (packageNames.has(entry.name) ? packages : queue).push(path);
      }
    }
  };
  search(own, maxDirectories);
  search(packages, maxPackages);
  return found;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
