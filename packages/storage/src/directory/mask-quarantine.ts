import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import type { QuarantineOptions } from './set-aside.ts';

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
