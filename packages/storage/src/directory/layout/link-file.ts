import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { errnoOf } from '@varve/files';
import type { Files } from './files.ts';
import type { DirectoryWarning } from './warnings.ts';

/** Links a staged file into `events/`. Fails with `EEXIST` if the name exists. */
export type LinkFile = (from: string, to: string) => void;

const refusals = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL']);

/**
 * Returns a function that links files into place, or renames them if the root's file system has no hard links, which is
 * tested once in the scratch directory. A rename cannot fail for an existing name, so the name is checked just before;
 * only the holder of the same lease could create it in between.
 */
export function fileLinker(files: Files, scratch: string, warn: (warning: DirectoryWarning) => void): LinkFile {
  let hasLinks: boolean | undefined;
  return (from, to) => {
    hasLinks ??= probe(files, scratch);
    if (hasLinks) return files.link(from, to);
    if (files.status(to))
      throw Object.assign(new Error(`${to} exists.`), { code: 'EEXIST', syscall: 'link', path: to });
    return files.rename(from, to);
  };

  function probe(at: Files, path: string): boolean {
    const file = join(path, `probe-${randomUUID()}`);
    at.makeDirectories(path);
    at.write(file, '');
    try {
      at.link(file, `${file}-link`);
      return true;
    } catch (error) {
      if (!refusals.has(errnoOf(error) ?? '')) throw error;
      const message = `The file system of ${path} has no hard links, so events are renamed into place.`;
      warn({ code: 'no-hard-links', message, path });
      return false;
    } finally {
      at.remove(file);
      at.remove(`${file}-link`);
    }
  }
}
