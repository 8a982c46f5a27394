import { isAbsolute, relative, sep } from 'node:path';
import { resolvedPath } from './resolved-path.ts';

/** Whether the resolved path `real` is one of `roots` or below one; roots are resolved too. */
export function isInside(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const way = relative(resolvedPath(root), real);
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  });
}
