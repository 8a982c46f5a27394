import type { LogContext } from '../log-context.ts';

/**
 * Replaces a file of seals that has other hard links by a copy. It is the one file that is not replaced by each change:
 * seals would also be added to the other file, for instance to a backup without the events that they are for.
 *
 * @throws {StorageError} `fenced`.
 */
export async function separateSeals({
  files,
  paths,
  lease,
}: Pick<LogContext, 'files' | 'paths' | 'lease'>): Promise<void> {
  if ((files.status(paths.seals)?.links ?? 1) === 1) return;
  const bytes = files.read(paths.seals);
  if (bytes === undefined || bytes.length === 0) return;
  const staged = lease.stagedPath();
  await files.writeAndFsync(staged, bytes);
  lease.unlessFenced(() => files.rename(staged, paths.seals));
  await files.fsync(paths.own);
}
