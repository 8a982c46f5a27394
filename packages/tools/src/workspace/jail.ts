import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { isInside, resolvedPath } from '../files/resolved-path.ts';

/** A directory that paths must not leave. */
export interface Jail {
  /** Where a path leads, links resolved. */
  readonly inside: (path: string) => string;
  /** Where a path is, links resolved in the directories above it only. */
  readonly place: (path: string) => string;
  /** Opens what is at a path for reading; a pipe does not hold it up. The caller closes it. */
  readonly open: (path: string) => Promise<FileHandle>;
  /** Creates the directories above a path, and works on its last name in the one above; returns what the work does. */
  readonly within: <T>(path: string, work: (path: string) => Promise<T>) => Promise<T>;
}

/**
 * Confines paths to `directory`. What was opened is checked again where the system can tell (Linux), so that links that are swapped
 * meanwhile lead nowhere: a file is read, and a name is written, only in a directory that is inside.
 *
 * @throws {ToolError} from each method `invalid-input` when a path leads outside; else what the system says.
 */
export function jail(directory: string): Jail {
  const check = (path: string, real: string): string => {
    if (path.includes('\0') || !isInside(real, [directory]))
      throw new ToolError('invalid-input', `The path ${JSON.stringify(path)} leads outside of ${directory}.`);
    return real;
  };
  const inside = (path: string): string => check(path, resolvedPath(resolve(directory, path)));
  const opened = async (path: string, real: string, flags: number): Promise<FileHandle> => {
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | flags);
    try {
      check(path, await readlink(`/proc/self/fd/${handle.fd}`).catch(() => resolvedPath(real)));
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  };
  return {
    inside,
    place(path) {
      const whole = resolve(directory, path);
      return check(path, join(inside(dirname(whole)), basename(whole)));
    },
    open: (path) => opened(path, inside(path), 0),
    async within(path, work) {
      const real = inside(path);
      const above = check(path, dirname(real));
      await mkdir(above, { recursive: true });
      const handle = await opened(path, above, constants.O_DIRECTORY);
      try {
        // Through the open directory, which stays the same whatever its path comes to mean.
        const held = `/proc/self/fd/${handle.fd}`;
        const isHeld = await readlink(held).then(
          () => true,
          () => false,
        );
        return await work(join(isHeld ? held : above, basename(real)));
      } finally {
        await handle.close();
      }
    },
  };
}
