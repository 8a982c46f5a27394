import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Files } from './layout/files.ts';
import type { LogContext } from './log-context.ts';

/** Parts of a log that moving files to quarantine needs. */
export type QuarantineOptions = Pick<LogContext, 'files' | 'paths' | 'lease' | 'warn'>;

/**
 * Moves files from `events/` to `.varve/quarantine/` that would become part of the log if it grew. Copies are synced to
 * the disk before the originals are removed. What is not a file with text, such as a directory, is moved itself.
 *
 * @throws {StorageError} `fenced`.
 */
export async function quarantineFiles(options: QuarantineOptions, names: readonly string[]): Promise<void> {
  const { files, paths, lease, warn } = options;
  if (names.length === 0) return;
  if (!files.status(paths.quarantine)) lease.unlessFenced(() => files.makeDirectory(paths.quarantine));
  const copied = new Set<string>();
  for (const name of names) {
    const bytes = files.read(join(paths.events, name));
    if (bytes === undefined || bytes.length === 0) continue;
    await files.writeAndFsync(freePath(files, join(paths.quarantine, name)), bytes);
    copied.add(name);
  }
  await files.fsync(paths.own);
  await files.fsync(paths.quarantine);
  for (const name of names) {
    const path = join(paths.events, name);
    // Moved through the stage, so that a holder whose lease was taken over cannot remove it.
    const staged = lease.stagedPath();
    lease.unlessFenced(() => files.rename(path, staged));
    if (copied.has(name)) files.remove(staged);
    else files.rename(staged, freePath(files, join(paths.quarantine, name)));
    const message = `${path} is not an event of the log and was moved to ${paths.quarantine}.`;
    warn({ code: 'quarantined', message, path });
  }
}

function freePath(files: Files, path: string): string {
  if (!files.status(path) && !files.isLink(path)) return path;
  // A name may have the greatest length already.
  return join(dirname(path), `${basename(path).slice(0, 40)}.${randomUUID()}`);
}

/**
 * Masks each file in quarantine and returns the number of changed files. The caller queues it with the appends.
 *
 * @throws {StorageError} `fenced`.
 */
export async function maskQuarantine(
  { files, paths, lease }: QuarantineOptions,
  mask: (text: string) => string,
): Promise<number> {
  let changed = 0;
  for (const name of files.list(paths.quarantine)) {
    const path = join(paths.quarantine, name);
    const bytes = files.read(path) ?? Buffer.alloc(0);
    const encoding = encodingOf(bytes);
    const text = bytes.toString(encoding);
    const masked = mask(text);
    if (masked === text) continue;
    const staged = lease.stagedPath();
    await files.writeAndFsync(staged, Buffer.from(masked, encoding));
    lease.unlessFenced(() => files.rename(staged, path));
    changed += 1;
  }
  if (changed > 0) await files.fsync(paths.quarantine);
  return changed;
}

/** Text of a file, which has one character per byte if the file is not UTF-8. */
export interface FileText {
  readonly name: string;
  readonly text: string;
}

/** Yields the text of files, by default of all in the directory. */
export function* textsIn(files: Files, directory: string, names = files.list(directory)): Generator<FileText> {
  for (const name of names) {
    const bytes = files.read(join(directory, name));
    if (bytes) yield { name, text: bytes.toString(encodingOf(bytes)) };
  }
}

/** Returns Latin-1 for bytes that are not UTF-8, so that masking keeps the other bytes. */
function encodingOf(bytes: Buffer): 'utf8' | 'latin1' {
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}
