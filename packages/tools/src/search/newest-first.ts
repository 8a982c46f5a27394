import { stat } from 'node:fs/promises';
import { join } from 'node:path';

const concurrency = 64;

/** Options of {@link newestFirst}. */
export interface NewestFirstOptions {
  readonly directory: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * Returns the absolute paths of the `limit` most recently changed files, newest first, and the number of all files.
 * Files that no longer exist are omitted.
 */
export async function newestFirst(
  names: readonly string[],
  { directory, limit, signal }: NewestFirstOptions,
): Promise<{ readonly paths: readonly string[]; readonly count: number }> {
  const found: { readonly path: string; readonly changed: number }[] = [];
  for (let from = 0; from < names.length; from += concurrency) {
    signal.throwIfAborted();
    const batch = names.slice(from, from + concurrency).map(async (name) => {
      const path = join(directory, name);
      const stats = await stat(path).catch(() => undefined);
      return stats === undefined ? [] : [{ path, changed: stats.mtimeMs }];
    });
    found.push(...(await Promise.all(batch)).flat());
  }
  found.sort((one, other) => other.changed - one.changed || (one.path < other.path ? -1 : 1));
  return { paths: found.slice(0, limit).map(({ path }) => path), count: found.length };
}
