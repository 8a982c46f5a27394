import { stat } from 'node:fs/promises';
import { join } from 'node:path';

const concurrency = 64;

/** Options of {@link newestFirst}. */
export interface NewestFirstOptions {
  readonly directory: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Result of {@link newestFirst}. */
export interface Newest {
  readonly paths: readonly string[];
  /** Number of all files with a path. */
  readonly count: number;
  /** Number of further files, whose name is not UTF-8. */
  readonly unnamed: number;
}

/**
 * Returns the absolute paths of the `limit` most recently changed files, newest first, and the number of all files.
 * Files that no longer exist are omitted. Those whose name is not UTF-8 have no path as text and are only counted.
 */
export async function newestFirst(
  names: readonly string[],
  { directory, limit, signal }: NewestFirstOptions,
): Promise<Newest> {
  let unnamed = 0;
  const files: { readonly path: string; readonly changed: number }[] = [];
  for (let from = 0; from < names.length; from += concurrency) {
    signal.throwIfAborted();
    const batch = names.slice(from, from + concurrency).map(async (name) => {
      const path = join(directory, name);
      const stats = await stat(path).catch(() => undefined);
      // Decoding replaced the bytes of such a name, so nothing is at the path.
      if (stats === undefined && name.includes('\uFFFD')) unnamed += 1;
      return stats === undefined ? [] : [{ path, changed: stats.mtimeMs }];
    });
    files.push(...(await Promise.all(batch)).flat());
  }
  files.sort((a, b) => b.changed - a.changed || (a.path < b.path ? -1 : 1));
  return { paths: files.slice(0, limit).map(({ path }) => path), count: files.length, unnamed };
}
