import { join } from 'node:path';
import { type Holder, isDead } from '../kit/holder.ts';
import { readClaim } from './claim.ts';
import type { Files } from './files.ts';
import { pathsOf } from './paths.ts';

/** How the names of conversations begin that are being made. */
export const draftPrefix = 'new-';

/** How the names of conversations begin that were removed. */
export const removedPrefix = 'removed-';

/** Deletes, in the directory of a root that no conversation lies in, what was removed and what the dead began to make. */
export function cleanScratch(
  { files, holder }: { readonly files: Files; readonly holder: Holder },
  path: string,
): void {
  for (const name of files.list(path)) {
    const directory = join(path, name);
    if (name.startsWith(removedPrefix)) files.remove(directory);
    if (!name.startsWith(draftPrefix)) continue;
    const maker = readClaim({ files, paths: pathsOf(directory) }, 1);
    if (maker && isDead(maker, holder)) files.remove(directory);
  }
}
