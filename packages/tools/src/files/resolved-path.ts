import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

const mostLinks = 40;

/**
 * Where a path really leads: links and `..` resolved as far as the path exists, the rest appended. A link to something
 * that does not exist is followed too. Ends in the path itself when it is not usable as one.
 */
export function resolvedPath(path: string): string {
  let current = resolve(path);
  const rest: string[] = [];
  let links = 0;
  for (;;) {
    const real = attempt(() => realpathSync.native(current));
    if (real !== undefined) return join(real, ...rest);
    const target = links < mostLinks ? linkTarget(current) : undefined;
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

/** From where the link really lies: what it says is relative to that. */
function linkTarget(path: string): string | undefined {
  return attempt(() =>
    lstatSync(path).isSymbolicLink() ? resolve(realpathSync.native(dirname(path)), readlinkSync(path)) : undefined,
  );
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Whether the resolved path `real` is one of `roots` or below one; roots are resolved too. */
export function isInside(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const way = relative(resolvedPath(root), real);
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  });
}
