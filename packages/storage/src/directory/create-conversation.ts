import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import { errnoOf } from '../kit/errno-of.ts';
import { type Holder, isDead } from '../kit/holder.ts';
import type { Files } from './files.ts';
import { epochDirectory, readClaim, writeClaim } from './lease-files.ts';
import { Lease, type LeaseOptions } from './lease.ts';
import { MetaFiles } from './meta-files.ts';
import { pathsOf } from './paths.ts';
import { newClaim } from './take-lease.ts';

/** Where a conversation is made: its parts are put together in `workshop`, a directory of the same root. */
export interface MakeOptions extends LeaseOptions {
  readonly root: string;
  readonly scratch: string;
  readonly meta: Json;
}

/** Makes an empty conversation with its lease, all of it or nothing. @throws {StorageError} `exists`. */
export async function makeConversation(options: MakeOptions): Promise<Lease> {
  const { id, root, scratch: workshop, files, paths, meta, now } = options;
  await makeRoot(options);
  cleanScratch(options, workshop);
  const draft = pathsOf(join(workshop, `${draftPrefix}${randomUUID()}`));
  const claim = newClaim(options);
  const at = now();
  try {
    for (const path of [draft.directory, draft.events, draft.own]) files.makeDirectory(path);
    writeClaim(files, epochDirectory(draft, 1), claim);
    const index = { head: 0, page: () => [], updatedAt: at };
    const metaFiles = new MetaFiles({ id, files, paths: draft, index, now: () => at, directory: paths.directory });
    for (const { path, text } of metaFiles.replacements({ meta, events: [] })) await files.writeAndFsync(path, text);
    new Lease({ ...options, paths: draft }, 1, claim).write();
    files.setModifiedTime(draft.events, BigInt(Math.trunc(at)) * 1_000_000n);
    for (const path of [draft.events, draft.own, draft.directory]) await files.fsync(path);
    move(options, draft.directory);
  } catch (error) {
    files.remove(draft.directory);
    throw error;
  }
  const lease = new Lease(options, 1, claim);
  await lease.releaseOnError(async () => files.fsync(root));
  return lease;
}

async function makeRoot({ files, scratch: workshop }: MakeOptions): Promise<void> {
  const first = files.makeDirectories(workshop);
  if (first === undefined) return;
  for (let made = workshop; made.length >= first.length; made = dirname(made)) await files.fsync(dirname(made));
}

function move({ id, files, paths }: MakeOptions, draft: string): void {
  try {
    // Fails when there is anything in the way, so that of several that make it at once one does.
    files.rename(draft, paths.directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || !files.status(paths.directory)) throw error;
    throw new StorageError('exists', `There is a conversation ${id} already.`, { cause: error });
  }
}

/** How the names of conversations begin that are being made. */
export const draftPrefix = 'new-';

/** How the names of conversations begin that were removed. */
export const removedPrefix = 'removed-';

/** Deletes, in the directory of a root that no conversation lies in, what was removed and what the dead began to make. */
export function cleanScratch(
  { files, holder }: { readonly files: Files; readonly holder: Holder },
  path: string,
): void {
  for (const name of files.list(path)) {
    const directory = join(path, name);
    if (name.startsWith(removedPrefix)) files.remove(directory);
    if (!name.startsWith(draftPrefix)) continue;
    const maker = readClaim({ files, paths: pathsOf(directory) }, 1);
    if (maker && isDead(maker, holder)) files.remove(directory);
  }
}
