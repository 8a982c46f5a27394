import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { realPathOf } from '../files/real-path.ts';
import { findRipgrep, type RipgrepEnd, type RipgrepRun, runRipgrep } from './ripgrep.ts';

/** Number of files that are looked up at the same time. */
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

/** What exists at a path. */
export interface Located {
  /** Absolute path with links resolved; may be undefined when nothing exists there. */
  readonly real: string | undefined;
  /** Undefined when nothing exists there. */
  readonly kind: 'directory' | 'file' | 'other' | undefined;
  /** The directories with links resolved. */
  readonly roots: readonly string[];
}

/** Machine whose files are searched. */
export interface Machine {
  /** Arguments for ripgrep that list files in the order in which `newest` expects them. */
  readonly order: readonly string[];
  /** Looks up a path, relative to the first of some directories. */
  readonly locate: (path: string, roots: readonly string[], signal: AbortSignal) => Promise<Located>;
  /** @throws {ToolError} `unusable` when ripgrep is missing. */
  readonly run: (run: Omit<RipgrepRun, 'program'>) => Promise<RipgrepEnd>;
  /** Returns the most recently changed of the listed files. */
  readonly newest: (names: readonly string[], options: NewestFirstOptions) => Promise<Newest>;
}

/** Returns this machine. `ripgrep` is the path of the program, see {@link findRipgrep}. */
export function thisMachine(ripgrep: string | undefined): Machine {
  let program: Promise<string> | undefined;
  return {
    order: [],
    async locate(path, roots) {
      const real = realPathOf(resolve(roots[0] ?? '', path));
      const stats = await stat(real).catch(() => undefined);
      const kind = stats && (stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other');
      return { real, kind, roots: roots.map(realPathOf) };
    },
    async run(run) {
      program ??= findRipgrep(ripgrep, process.env['PATH']);
      return runRipgrep({ ...run, program: await program });
    },
    newest: newestFirst,
  };
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
