import { chmodSync, lstatSync, mkdirSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeDirectories, stageFile, syncDirectory, temporaryPath } from '@varve/files';
import { isSameVersion, readVersion } from './file-version.ts';

/** Change of one file, as a fact contains it. */
interface Restoration {
  readonly path: string;
  readonly mode?: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Larger files are in no log. */
const maxBytes = 16 * 1024 * 1024;

interface Target {
  readonly workspace: string;
  /** Content afterwards; absent for a file that is deleted. */
  readonly content: Buffer | undefined;
}

/** Reports whether a path from a log is that of a file in the workspace, and of no repository's own. */
export function isRestorable(path: string): boolean {
  const parts = path.split('/');
  return !parts.some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase()));
}

/** Writes or deletes a file that is as before the change. Returns false if it is not, or the system refuses it. */
export async function restoreFile(change: Restoration, { workspace, content }: Target): Promise<boolean> {
  const { path, before, after, mode = '' } = change;
  const file = join(workspace, path);
  if (!isRestorable(path)) return false;
  try {
    if (!hasDirectory(workspace, path, after !== null)) return after === null;
    const now = await readVersion(file, maxBytes);
    if (isSameVersion(now, after === null ? undefined : { mode, hash: after })) return true;
    // For a content that the log does not have, a person decided.
    if (before === 'unknown' ? !now : (now?.hash ?? null) !== before) return false;
    if (after === null) unlinkSync(file);
    else if (content === undefined) return false;
    else await write(file, mode, content);
    await syncDirectory(dirname(file));
    return true;
  } catch {
    // The plan names what is left.
    return false;
  }
}

/**
 * Removes the directories of deleted files in which nothing is any more; after all others are written, so that a
 * directory that they need keeps its rights.
 */
export function removeEmptied(paths: readonly string[], workspace: string): void {
  const parents = paths.flatMap((path) => path.split('/').map((_, index, names) => names.slice(0, index).join('/')));
  const real = [...new Set(parents)].filter((path) => path !== '' && hasDirectory(workspace, `${path}/`, false));
  removeDirectories(real.toSorted().map((path) => join(workspace, path)));
}

async function write(file: string, mode: string, content: Buffer): Promise<void> {
  // An empty directory may be where the file was.
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(file);
  if (mode.startsWith('12')) {
    const temporary = temporaryPath(file);
    symlinkSync(content, temporary);
    renameSync(temporary, file);
    return;
  }
  const rights = Number.parseInt(mode, 8) & 0o777;
  const staged = await stageFile(file, content, { finish: (handle) => handle.chmod(rights) });
  staged.replace();
  chmodSync(file, rights);
}

/** Reports whether the directory of a path is in the workspace without links, and creates it if it is missing. */
function hasDirectory(workspace: string, path: string, creates: boolean): boolean {
  let directory = workspace;
  for (const name of path.split('/').slice(0, -1)) {
    directory = join(directory, name);
    const stats = lstatSync(directory, { throwIfNoEntry: false });
    if (stats?.isDirectory()) continue;
    if (stats || !creates) return false;
    mkdirSync(directory);
  }
  return true;
}
