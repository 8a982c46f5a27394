import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { errnoOf } from '../kit/errno-of.ts';
import type { Files } from './files.ts';
import type { DirectoryWarning } from './warnings.ts';

/** Gives a staged file its name among the events. Fails with `EEXIST` when there is such a name. */
export type LinkFile = (from: string, to: string) => void;

const refusals = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL']);

/**
 * Links files into place, or, where the file system of the root has no hard links, renames them; looked at once, in a
 * directory of the root's own. Renaming cannot refuse a name that exists: it is looked at just before, and only a holder
 * of the same lease could use it.
 */
export function fileLinker(files: Files, own: string, warn: (warning: DirectoryWarning) => void): LinkFile {
  let hasLinks: boolean | undefined;
  return (from, to) => {
    hasLinks ??= probe(files, own);
    if (hasLinks) return files.link(from, to);
    if (files.status(to))
      throw Object.assign(new Error(`${to} exists.`), { code: 'EEXIST', syscall: 'link', path: to });
    return files.rename(from, to);
  };

  function probe(at: Files, path: string): boolean {
    const probed = join(path, `probe-${randomUUID()}`);
    at.makeDirectories(path);
    at.write(probed, '');
    try {
      at.link(probed, `${probed}-link`);
      return true;
    } catch (error) {
      if (!refusals.has(errnoOf(error) ?? '')) throw error;
      const message = `The file system of ${path} has no hard links, so events are renamed into place.`;
      warn({ code: 'no-hard-links', message, path });
      return false;
    } finally {
      at.remove(probed);
      at.remove(`${probed}-link`);
    }
  }
}
