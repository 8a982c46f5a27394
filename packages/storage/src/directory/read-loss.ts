import type { LogLoss } from '../contract/loss.ts';
import type { LogContext } from './log-context.ts';
import { readRecordedEnd, type RecordedEnd } from './lease-files.ts';
import { lossOf } from './log-loss.ts';
import { sealedPart } from './seals/seal-lines.ts';
import { sealedOnce } from './seals/sealed-once.ts';

/** A log to search for a loss of events. */
export type SearchedLog = Pick<LogContext, 'id' | 'files' | 'paths' | 'index'>;

/** Finds the loss of events, by the names in `events/` and the seals; `recorded` is read from the lease by default. */
export function readLoss(
  { id, files, paths, index }: SearchedLog,
  recorded: RecordedEnd = readRecordedEnd({ files, paths }),
): LogLoss | undefined {
  const text = files.read(paths.seals)?.toString();
  const once = sealedOnce({ files, paths, index }, recorded.sealed);
  const sealedHead = Math.max((sealedPart(text ?? '').last?.seq ?? -1) + 1, once?.head ?? 0);
  // A log that only another program wrote has no seals: its crashes are unknown, so every gap is a loss.
  const isInterruptible = text !== undefined && !recorded.isClosed;
  const find = (): LogLoss | undefined => lossOf({ id, paths, names: index.scanned, sealedHead, isInterruptible });
  if (!find()) return undefined;
  // A scan that runs while events are added may miss one and find a later one; a second scan finds both.
  if (!index.isWriting) index.rescan();
  return find();
}
