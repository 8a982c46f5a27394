import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Returns a path with the links of its existing part followed. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), basename(path));
  }
}
