import { StorageError } from '../contract/error.ts';
import type { LogReader } from '../contract/log-reader.ts';

/**
 * Rejects a log that lost events, or with an unreadable one among those that were read.
 *
 * @throws {StorageError} `incomplete`; as `LogReader.loss`.
 */
export async function checkComplete(log: Pick<LogReader, 'loss'>): Promise<void> {
  const loss = await log.loss?.();
  if (loss) throw new StorageError('incomplete', loss.message);
}
