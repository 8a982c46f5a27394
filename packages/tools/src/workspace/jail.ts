import { constants } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { basename, dirname, join, resolve as absolute } from 'node:path';
import { makeDirectories } from '@varve/files';
import { ToolError } from '../contract/error.ts';
import { isInside, realPathOf } from '../files/real-path.ts';

/** Directory that paths must not leave. */
export interface Jail {
  /** Returns a path with links resolved. */
  readonly resolve: (path: string) => string;
  /** Returns a path with links resolved in its parent directories only. */
  readonly resolveParent: (path: string) => string;
  /** Opens a file for reading; does not block on a pipe. The caller closes it. */
  readonly open: (path: string) => Promise<FileHandle>;
  /** Creates the parent directories of a path and runs `work` with a path in the opened parent; returns its result. */
  readonly within: <T>(path: string, work: (path: string) => Promise<T>) => Promise<T>;
}

/**
 * Confines paths to `directory`. On Linux an opened file or directory is checked again, so that links that another
 * program replaces at the same time cannot lead outside: files are read and written only in directories that are
 * inside.
 *
 * @throws {ToolError} from each method `invalid-input` when a path leads outside. System errors pass through.
 */
export function jail(directory: string): Jail {
  const check = (path: string, real: string): string => {
    if (path.includes('\0') || !isInside(real, [directory]))
      throw new ToolError('invalid-input', `The path ${JSON.stringify(path)} leads outside of ${directory}.`);
    return real;
  };
  const resolve = (path: string): string => check(path, realPathOf(absolute(directory, path)));
  const openChecked = async (path: string, real: string, flags: number): Promise<FileHandle> => {
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | flags);
    try {
      check(path, await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realPathOf(real)));
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  };
  return {
    resolve,
    resolveParent(path) {
      const whole = absolute(directory, path);
      return check(path, join(resolve(dirname(whole)), basename(whole)));
    },
    open: (path) => openChecked(path, resolve(path), 0),
    async within(path, work) {
      const real = resolve(path);
      const parent = check(path, dirname(real));
      makeDirectories(parent);
      const handle = await openChecked(path, parent, constants.O_DIRECTORY);
      try {
        // Through the open directory, which stays the same even if its path is replaced.
        const held = `/proc/self/fd/${handle.fd}`;
        const isHeld = await readlink(held).then(
          () => true,
          () => false,
        );
        return await work(join(isHeld ? held : parent, basename(real)));
      } finally {
        await handle.close();
      }
    },
  };
}
