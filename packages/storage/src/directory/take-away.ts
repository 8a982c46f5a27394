import { join } from 'node:path';
import { errnoOf } from '@varve/files';
import type { Files } from './layout/files.ts';
import type { Paths } from './layout/paths.ts';

/**
 * Moves a conversation, whose lease the caller holds, to another directory of its file system, in one step.
 *
 * An overlay file system, such as that of a container, moves no directory of a lower layer, and a directory may be on
 * another file system. It is removed in place then: the events first, so that the lease protects them and a later call
 * can remove what a crash leaves.
 */
export function takeAway(files: Files, { directory, events }: Paths, to: string): void {
  try {
    files.rename(directory, to);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    for (const name of files.list(events).toSorted().toReversed()) files.remove(join(events, name));
    const others = files.list(directory).map((name) => join(directory, name));
    for (const path of others) if (path !== events) files.remove(path);
    files.remove(events);
    files.remove(directory);
  }
}
