import { join } from 'node:path';
import { StorageError } from '../contract/error.ts';
import type { TextReplacement } from '../contract/log-proof.ts';
import type { Cut } from '../contract/statement.ts';
import { checkReplacements } from '../kit/checks.ts';
import type { AppenderOptions } from './appender.ts';
import { quarantineFiles } from './quarantine.ts';
import { dropSnapshots } from './snapshots.ts';

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

/** Replaces texts of events; in the turn of an append. @throws {StorageError} `missing`, `invalid`, `fenced`. */
export async function replaceTexts(options: AppenderOptions, replacements: readonly TextReplacement[]): Promise<void> {
  const { id, files, paths, lease, index, seals, now } = options;
  checkReplacements(id, replacements, (seq) => index.page(seq, seq + 1)[0]);
  await seals.catchUp();
  // Told first: a text that its tombstone is ahead of is still proven, one that is ahead of its tombstone is not.
  seals.addStatements(replacements.map(({ tombstone }) => tombstone));
  await seals.sync();
  for (const { tombstone, text } of replacements) {
    const name = index.nameOf(tombstone.seq) ?? '';
    const staged = lease.stagedPath();
    await files.writeAndFsync(staged, text);
    lease.unlessFenced(() => files.rename(staged, join(paths.events, name)));
  }
  dropSnapshots({ files, paths }, -1);
  index.advanceMtime(now());
  await files.fsync(paths.events);
}
