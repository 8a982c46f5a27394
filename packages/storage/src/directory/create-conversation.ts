import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { errnoOf } from '@varve/files';
import { StorageError } from '../contract/error.ts';
import { type Holder, isDead } from '../kit/holder.ts';
import type { Files } from './layout/files.ts';
import { epochDirectory, readClaim, writeClaim } from './lease-files.ts';
import { Lease, type LeaseOptions } from './lease.ts';
import { MetaFiles } from './meta-files.ts';
import { pathsOf } from './layout/paths.ts';
import { sealsHeader } from './seals/seal-lines.ts';
import { newClaim } from './take-lease.ts';

/** Options of `createConversation`. */
export interface CreateOptions extends LeaseOptions {
  readonly root: string;
  /** Scratch directory `.varve` of the root, where the conversation is prepared. */
  readonly scratch: string;
  /** JSON of the `meta`. */
  readonly metaText: string;
  /** Empty without one. */
  readonly owner: string;
}

/**
 * Creates an empty conversation and takes its lease. Prepares it in the scratch directory and renames it into place, so
 * that it appears as a whole or not at all.
 *
 * @throws {StorageError} `exists`.
 */
export async function createConversation(options: CreateOptions): Promise<Lease> {
  const { id, root, scratch, files, paths, metaText, owner, now } = options;
  await makeRoot(options);
  cleanScratch(options, scratch);
  const draft = pathsOf(join(scratch, `${draftPrefix}${randomUUID()}`));
  const claim = newClaim(options);
  const at = now();
  try {
    for (const path of [draft.directory, draft.events, draft.own]) files.makeDirectory(path);
    writeClaim(files, epochDirectory(draft, 1), claim);
    const index = { head: 0, page: () => [], updatedAt: at };
    const metaFiles = new MetaFiles({ id, files, paths: draft, index, now: () => at, directory: paths.directory });
    for (const { path, text } of metaFiles.filesAfter({ metaText, owner, events: [] }))
      await files.writeAndFsync(path, text);
    await files.writeAndFsync(draft.seals, sealsHeader);
    new Lease({ ...options, paths: draft }, 1, claim).write();
    files.setModifiedTime(draft.events, BigInt(Math.trunc(at)) * 1_000_000n);
    for (const path of [draft.events, draft.own, draft.directory]) await files.fsync(path);
    moveIntoPlace(options, draft.directory);
  } catch (error) {
    files.remove(draft.directory);
    throw error;
  }
  const lease = new Lease(options, 1, claim);
  await lease.releaseOnError(async () => files.fsync(root));
  return lease;
}

/** Creates the root and the scratch directory, and syncs the names of all directories created. */
async function makeRoot({ files, scratch }: CreateOptions): Promise<void> {
  for (const made of files.makeDirectories(scratch).toReversed()) await files.fsync(dirname(made));
}

function moveIntoPlace({ id, files, paths }: CreateOptions, draft: string): void {
  try {
    // Fails if the directory exists, so that of several concurrent calls one succeeds.
    files.rename(draft, paths.directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || !files.status(paths.directory)) throw error;
    throw new StorageError('exists', `There is a conversation ${id} already.`, { cause: error });
  }
}

/** Name prefix of conversations being created. */
export const draftPrefix = 'new-';

/** Name prefix of removed conversations. */
export const removedPrefix = 'removed-';

/** Deletes removed conversations from the scratch directory, and unfinished ones of processes that died. */
export function cleanScratch(
  { files, holder }: { readonly files: Files; readonly holder: Holder },
  path: string,
): void {
  // The files behind a link are not those of this store.
  if (files.isLink(path)) return;
  for (const name of files.list(path)) {
    const directory = join(path, name);
    if (name.startsWith(removedPrefix)) files.remove(directory);
    if (!name.startsWith(draftPrefix)) continue;
    const creator = readClaim({ files, paths: pathsOf(directory) }, 1);
    if (creator && isDead(creator, holder)) files.remove(directory);
  }
}
