import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { attempt } from './attempt.ts';

const maxLinks = 40;

/** Maximum length of a path in bytes: PATH_MAX of Linux, and more than macOS allows. */
const maxPathBytes = 4096;

/** Returns the reason why no system call accepts a path; undefined if one may. */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\0')) return 'a path cannot contain a null character';
  const bytes = Buffer.byteLength(path);
  return bytes > maxPathBytes ? `it has ${bytes} bytes, and a path has at most ${maxPathBytes}` : undefined;
}

/**
 * Returns a path with links and `..` resolved as far as it exists, and the rest appended. Links to missing targets are
 * followed too. Returns the path itself when it cannot be resolved, for instance because it is too long.
 */
export function realPathOf(path: string): string {
  let current = resolve(path);
  if (pathProblem(current) !== undefined) return current;
  const rest: string[] = [];
  let links = 0;
  for (;;) {
    const real = attempt(() => realpathSync.native(current));
    if (real !== undefined) return join(real, ...rest);
    const target = links < maxLinks ? linkTarget(current) : undefined;
    if (target !== undefined) {
      links += 1;
      current = target;
      continue;
    }
    const parent = dirname(current);
    if (parent === current) return resolve(path);
    rest.unshift(basename(current));
    current = parent;
  }
}

/** Returns the target of a link, which is relative to the real directory of the link. */
function linkTarget(path: string): string | undefined {
  return attempt(() =>
    lstatSync(path).isSymbolicLink() ? resolve(realpathSync.native(dirname(path)), readlinkSync(path)) : undefined,
  );
}

/** Returns true if the resolved path `real` is one of `roots` or below one; roots are resolved first. */
export function isInside(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => isBelow(real, realPathOf(root)));
}

/** Returns true if a path is `root` or below it, as written. */
export function isBelow(real: string, root: string): boolean {
  const path = relative(root, real);
  return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path));
}
