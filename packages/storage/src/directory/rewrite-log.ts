import { join } from 'node:path';
import { StorageError } from '../contract/error.ts';
import type { TextReplacement } from '../contract/log-proof.ts';
import type { Cut, Unsealed } from '../contract/statement.ts';
import { checkReplacements } from '../kit/checks.ts';
import type { LogContext } from './log-context.ts';
import { quarantineFiles } from './quarantine.ts';
import { readLoss } from './read-loss.ts';
import { dropSnapshots } from './snapshots.ts';

/** Ends a log before event `seq`. The caller queues it with the appends. @throws {StorageError} `invalid`, `fenced`. */
export async function cutLog(context: LogContext, seq: number): Promise<Cut> {
  const { id, files, paths, lease, index, seals, now } = context;
  if (seq > index.head) throw new StorageError('invalid', `Conversation ${id} ends before event ${seq}.`);
  const end = Math.max(index.head, seals.sealedHead, readLoss(context, lease.before)?.end ?? 0);
  const names = index.namesFrom(seq);
  // Event `seq` is moved first: a crash before the rest is moved leaves a gap, and the log ends before a gap too.
  await quarantineFiles(context, names);
  if (names.length > 0) index.advanceMtime(now());
  index.rescan();
  dropSnapshots({ files, paths }, seq);
  lease.check();
  const cut = seals.cut(seq, end);
  await files.fsync(paths.events);
  await seals.sync();
  const sealed = await seals.syncedEnd();
  if (sealed) await lease.recordSealed(sealed);
  return cut;
}

/**
 * Seals the events that lost their seals. The caller queues it with the appends.
 *
 * @throws {StorageError} `incomplete`, `fenced`.
 */
export async function acceptUnsealed({ lease, seals }: LogContext): Promise<Unsealed | undefined> {
  const accepted = await seals.accept();
  const sealed = await seals.syncedEnd();
  if (accepted && sealed) await lease.recordSealed(sealed);
  return accepted;
}

/**
 * Replaces texts of events. The caller queues it with the appends.
 *
 * @throws {StorageError} `missing`, `invalid`, `fenced`.
 */
export async function replaceTexts(context: LogContext, replacements: readonly TextReplacement[]): Promise<void> {
  const { id, files, paths, lease, index, seals, now } = context;
  checkReplacements(id, replacements, (seq) => index.page(seq, seq + 1)[0]);
  await seals.catchUp();
  // Tombstones are stored first: an old text with a tombstone still verifies, a new text without one does not.
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
