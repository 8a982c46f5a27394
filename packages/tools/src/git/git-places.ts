import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { realPathOf } from '../files/real-path.ts';
import { gitRepository } from './git-repository.ts';

/** Maximum number of entries of a repository that are looked at. */
const maxEntries = 200_000;

/**
 * Returns the places outside of a working tree that git reads for it, with links resolved: the directories of its
 * repository, those of which it borrows objects, and the targets of links in them. Files of a repository choose them,
 * so they may be anywhere.
 *
 * @throws {ToolError} `unusable` when the directory is not in a repository, or the repository has too many files;
 * `aborted`.
 */
export async function gitPlaces(directory: string, signal?: AbortSignal): Promise<readonly string[]> {
  const { line } = await gitRepository(directory, signal);
  const places = new Set<string>();
  const add = (path: string): void => {
    if (!isAbsolute(path)) throw unusable(directory, 'has a path that cannot be read');
    places.add(realPathOf(path));
  };
  const directories = await line('rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir');
  directories?.split('\n').forEach(add);
  const counted = await line('count-objects', '-v');
  for (const [, path = ''] of counted?.matchAll(/^alternate: (.*)$/gm) ?? []) add(path);
  let entries = 0;
  // Places that are found are added to the set, and visited in their turn.
  for (const place of places) {
    for await (const link of linksIn(place)) {
      entries += 1;
      if (entries > maxEntries) throw unusable(directory, 'has too many files');
      if (link !== undefined) add(link);
    }
  }
  return [...places];
}

/** Yields the links below a directory, and undefined for every other entry. */
async function* linksIn(directory: string): AsyncGenerator<string | undefined> {
  // A link may lead to a file, or to nothing.
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name);
    yield entry.isSymbolicLink() ? path : undefined;
    if (entry.isDirectory()) yield* linksIn(path);
  }
}

function unusable(directory: string, reason: string): ToolError {
  return new ToolError('unusable', `The repository of ${directory} ${reason}.`);
}
