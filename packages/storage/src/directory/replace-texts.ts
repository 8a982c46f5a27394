import { join } from 'node:path';
import type { TextReplacement } from '../contract/log-proof.ts';
import { checkReplacements } from '../kit/checks.ts';
import type { AppenderOptions } from './appender-options.ts';
import { dropSnapshots } from './directory-snapshots.ts';

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
