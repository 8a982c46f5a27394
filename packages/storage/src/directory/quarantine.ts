import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Files } from './files.ts';
import type { Lease } from './lease.ts';
import type { Paths } from './paths.ts';
import type { DirectoryWarning } from './warnings.ts';

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

/** Masks each file in quarantine; in the turn of an append. Gives how many changed. @throws {StorageError} `fenced`. */
export async function maskQuarantine(
  { files, paths, lease }: QuarantineOptions,
  mask: (text: string) => string,
): Promise<number> {
  let changed = 0;
  for (const name of files.list(paths.quarantine)) {
    const path = join(paths.quarantine, name);
    const bytes = files.read(path) ?? Buffer.alloc(0);
    // What is no UTF-8 is taken byte by byte, so that the rest of it stays as it is.
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
    const text = bytes.toString(encoding);
    const after = mask(text);
    if (after === text) continue;
    const staged = lease.stagedPath();
    await files.writeAndFsync(staged, Buffer.from(after, encoding));
    lease.unlessFenced(() => files.rename(staged, path));
    changed += 1;
  }
  if (changed > 0) await files.fsync(paths.quarantine);
  return changed;
}

/** What lies in quarantine, file by file; what is no UTF-8 has one character per byte. */
export function* quarantinedTexts(files: Files, { quarantine }: Paths): Generator<string> {
  for (const name of files.list(quarantine)) {
    const bytes = files.read(join(quarantine, name));
    if (bytes) yield bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  }
}
