import { StorageError } from '../contract/error.ts';
import type { Cut } from '../contract/statement.ts';
import type { AppenderOptions } from './appender-options.ts';
import { dropSnapshots } from './directory-snapshots.ts';
import { quarantineFiles } from './set-aside.ts';

/** Ends a log before event `seq`; in the turn of an append. @throws {StorageError} `invalid`, `fenced`. */
export async function cutLog(options: AppenderOptions, seq: number): Promise<Cut> {
  const { id, files, paths, lease, index, seals, now } = options;
  const end = index.head;
  if (seq > end) throw new StorageError('invalid', `Conversation ${id} ends before event ${seq}.`);
  await seals.catchUp();
  const names = index.namesFrom(seq);
  // The first of them goes first: a crash in between leaves a gap, where the log ends, too.
  await quarantineFiles(options, names);
  if (names.length > 0) index.advanceMtime(now());
  index.rescan();
  dropSnapshots({ files, paths }, seq);
  lease.check();
  const cut = seals.cut(seq, end);
  await files.fsync(paths.events);
  await seals.sync();
  return cut;
}
