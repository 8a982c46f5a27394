import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What may stay. */
export interface PruneLimits {
  /** A directory in which nothing has changed for longer goes. */
  readonly maxAgeMs: number;
  /** So many bytes stay, those of the directories that changed last; nothing that changed within a day goes for this. */
  readonly maxBytes: number;
  /** The name of a directory that stays in any case, because it is in use; it counts all the same. */
  readonly keep?: string;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** A directory that holds nothing but files of ours. */
interface ToolDirectory {
  readonly name: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly bytes: number;
  /** UTC milliseconds. */
  readonly changedAt: number;
}

/** All names that a history of edits and a terminal give their files, also those that a crash leaves. */
const ours =
  /^(?:edits\.json|[0-9a-f]{64}\.before|terminal_output_[0-9a-f]{8}\.txt|(?:\.varve-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp)$/;

const inUseMs = 24 * 60 * 60 * 1000;

/**
 * Removes what file editors and terminals have kept for conversations that nobody goes on with: of the directories in `root`,
 * each the `historyDir` of one file editor or the `outputDir` of one terminal, those beyond the limits. A directory that holds
 * anything else, a link or another directory for instance, stays as it is. Gives the names of those that are gone; what
 * cannot be read or removed stays.
 */
export async function pruneToolFiles(root: string, limits: PruneLimits): Promise<readonly string[]> {
  const { maxAgeMs, maxBytes, keep, now = Date.now } = limits;
  const names = await readdir(root).catch(() => []);
  const found = (await Promise.all(names.map((name) => readToolDirectory(root, name)))).filter(
    (kept) => kept !== undefined,
  );
  const removed: string[] = [];
  let bytes = 0;
  for (const kept of found.toSorted((one, other) => other.changedAt - one.changedAt)) {
    const ageMs = now() - kept.changedAt;
    const isTooMuch = bytes + kept.bytes > maxBytes && ageMs > inUseMs;
    const isGone = kept.name !== keep && (ageMs > maxAgeMs || isTooMuch) && (await removeDirectory(kept));
    if (isGone) removed.push(kept.name);
    else bytes += kept.bytes;
  }
  return removed;
}

async function readToolDirectory(root: string, name: string): Promise<ToolDirectory | undefined> {
  const path = join(root, name);
  try {
    const directory = await lstat(path);
    if (!directory.isDirectory()) return undefined;
    const files = await readdir(path);
    const all = await Promise.all(files.map((file) => lstat(join(path, file))));
    if (!files.every((file) => ours.test(file)) || !all.every((file) => file.isFile())) return undefined;
    const changedAt = Math.max(directory.mtimeMs, ...all.map(({ mtimeMs }) => mtimeMs));
    return { name, path, files, bytes: all.reduce((sum, { size }) => sum + size, 0), changedAt };
  } catch {
    return undefined;
  }
}

/** Whether it is gone: it stays when somebody has put something else there meanwhile. */
async function removeDirectory({ path, files }: ToolDirectory): Promise<boolean> {
  try {
    for (const file of files) await rm(join(path, file), { force: true });
    await rmdir(path);
    return true;
  } catch {
    return false;
  }
}
