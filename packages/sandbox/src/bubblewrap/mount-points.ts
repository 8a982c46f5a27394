import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';

/** Mode of mount points, by which leftovers of a killed process are recognised. */
const mode = 0o555;

/** Contents of files without effect; git ends at directories of these names. */
const withoutEffect: ReadonlyMap<string, string> = new Map([
  ['commondir', '.\n'],
  ['config.worktree', ''],
]);

/**
 * Creates an empty directory at a path where nothing exists, so that a sandbox can cover it, also in the place of a
 * file: git ignores empty directories.
 */
export function createMountPoint(path: string): void {
  const text = withoutEffect.get(basename(path));
  if (text === undefined) mkdirSync(path, { mode });
  else writeFileSync(path, text, { mode, flag: 'wx' });
}

/** Returns true if a path is what {@link createMountPoint} has created and nothing has changed. */
export function isMountPoint(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o777) !== mode) return false;
  return stats.isDirectory()
    ? readdirSync(path).length === 0
    : stats.isFile() && readFileSync(path, 'utf8') === withoutEffect.get(basename(path));
}

/** Removes mount points, unless a sandbox of another process still needs them: they would then be writable there. */
export function removeMountPoints(paths: readonly string[]): void {
  const used = paths.length === 0 ? '' : otherMounts();
  for (const path of paths) {
    if (used.includes(` ${mountInfoPath(path)} `)) continue;
    try {
      if (isMountPoint(path)) (lstatSync(path).isDirectory() ? rmdirSync : unlinkSync)(path);
    } catch {
      // Another process has changed it at the same time.
    }
  }
}

/** Returns the tables of mounts of all other mount namespaces. */
function otherMounts(): string {
  const namespaces = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const id = readlinkSync(`/proc/${pid}/ns/mnt`);
      if (!namespaces.has(id)) namespaces.set(id, readFileSync(`/proc/${pid}/mountinfo`, 'utf8'));
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  namespaces.delete(readlinkSync('/proc/self/ns/mnt'));
  return [...namespaces.values()].join('\n');
}

/** Returns a path as the kernel writes it in a table of mounts. */
function mountInfoPath(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (match) => `\\${match.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
