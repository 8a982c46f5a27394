import type { Files } from './files.ts';
import { touch } from './touch.ts';

/** Less than what listings show, and more than a file's time loses on its way through a double. */
const shiftNs = 2_000n;

/**
 * Does work in a directory that is no news, and marks the directory as last changed in the millisecond before it. The
 * mark is another one all the same: whoever knows the names by their mark has to look again.
 */
export async function preserveMtime(files: Files, path: string, work: () => Promise<void>): Promise<void> {
  const before = files.status(path);
  await work();
  if (!before || files.status(path)?.modifiedNs === before.modifiedNs) return;
  const isEarly = before.modifiedNs % 1_000_000n < 500_000n;
  touch(files, path, before.modifiedNs + (isEarly ? shiftNs : -shiftNs));
}
