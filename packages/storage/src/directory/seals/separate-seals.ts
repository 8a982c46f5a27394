import type { Files } from '../layout/files.ts';
import type { Paths } from '../layout/paths.ts';
import type { Lease } from '../lease.ts';

/**
 * Replaces a file of seals that has other hard links by a copy. It is the one file that is not replaced by each change:
 * seals would also be added to the other file, for instance to a backup without the events that they are for.
 *
 * @throws {StorageError} `fenced`.
 */
export async function separateSeals(options: {
  readonly files: Files;
  readonly paths: Paths;
  readonly lease: Lease;
}): Promise<void> {
  const { files, paths, lease } = options;
  if ((files.status(paths.seals)?.links ?? 1) === 1) return;
  const bytes = files.read(paths.seals);
  if (bytes === undefined || bytes.length === 0) return;
  const staged = lease.stagedPath();
  await files.writeAndFsync(staged, bytes);
  lease.unlessFenced(() => files.rename(staged, paths.seals));
  await files.fsync(paths.own);
}
