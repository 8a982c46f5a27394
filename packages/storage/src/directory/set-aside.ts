import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DirectoryWarning } from './directory-warning.ts';
import type { Files } from './files.ts';
import type { Lease } from './lease.ts';
import type { Paths } from './paths.ts';

/** What files are set aside with. */
export interface QuarantineOptions {
  readonly files: Files;
  readonly paths: Paths;
  readonly lease: Lease;
  readonly warn: (warning: DirectoryWarning) => void;
}

/**
 * Moves files that would become part of the log if it grew from `events/` to `.varve/quarantine/`. Nothing is lost:
 * their copies are on the disk before they go.
 *
 * @throws {StorageError} `fenced`.
 */
export async function quarantineFiles(options: QuarantineOptions, names: readonly string[]): Promise<void> {
  const { files, paths, lease, warn } = options;
  if (names.length === 0) return;
  if (!files.status(paths.quarantine)) lease.unlessFenced(() => files.makeDirectory(paths.quarantine));
  for (const name of names) {
    const bytes = files.read(join(paths.events, name));
    if (bytes) await files.writeAndFsync(freePath(files, join(paths.quarantine, name)), bytes);
  }
  await files.fsync(paths.own);
  await files.fsync(paths.quarantine);
  for (const name of names) {
    const path = join(paths.events, name);
    // By way of the stage: a holder that was taken over meanwhile moves nothing.
    const staged = lease.stagedPath();
    lease.unlessFenced(() => files.rename(path, staged));
    files.remove(staged);
    warn({ code: 'set-aside', message: `${path} is no event of the log and was moved to ${paths.quarantine}.`, path });
  }
}

function freePath(files: Files, path: string): string {
  return files.status(path) ? `${path}.${randomUUID()}` : path;
}
