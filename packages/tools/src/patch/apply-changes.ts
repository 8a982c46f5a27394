import { rmSync, type Stats } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  createAtomically,
  makeDirectories,
  removeDirectories,
  stageFile,
  type StagedFile,
  syncDirectory,
  writeAtomically,
} from '@varve/files';
import { refuse, type Refusal, systemMessage } from '../files/refusal.ts';
import { changeIfSame, hasContent, keepRights } from '../files/replace-file.ts';

/** File to write or to remove. */
export interface PlannedChange {
  /** Path with links resolved. */
  readonly real: string;
  /** Current content; undefined when the file does not exist. */
  readonly before: Buffer | undefined;
  /** New content; undefined to remove the file. */
  readonly after: Buffer | undefined;
  /** File whose mode and owner a written file gets. */
  readonly previous: Stats | undefined;
}

interface Staged {
  readonly change: PlannedChange;
  readonly file: StagedFile | undefined;
}

/**
 * Makes all changes or none: writes every file to a temporary one next to it, then renames them, or links new ones so
 * that nothing is overwritten; if that fails, restores the changed ones. What another program writes meanwhile is kept:
 * each file is compared again right before it is replaced, removed or restored. A crash in between may leave some files
 * new and some old, but none incomplete. Returns undefined on success, else the system error and the files that could
 * not be restored.
 *
 * @throws the reason of a signal that aborts before the first file is changed. From then on all changes are made, which
 * takes the time of a few system calls each: the directories are synced last.
 */
export async function applyChanges(
  changes: readonly PlannedChange[],
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  const createdDirectories: string[] = [];
  const staged: Staged[] = [];
  const done: PlannedChange[] = [];
  try {
    for (const change of changes) {
      signal.throwIfAborted();
      if (change.after !== undefined) createdDirectories.push(...makeDirectories(dirname(change.real)));
      const file = change.after && (await stageFile(change.real, change.after, keepRights(change.previous)));
      staged.push({ change, file });
    }
    for (const { real, before } of changes) {
      signal.throwIfAborted();
      await assertUnchanged(real, before);
    }
    signal.throwIfAborted();
    for (const { change, file } of staged) {
      await applyChange(change, file);
      done.unshift(change);
    }
    for (const directory of new Set(changes.map(({ real }) => dirname(real)))) await syncDirectory(directory);
    return undefined;
  } catch (error) {
    for (const { file } of staged) await file?.discard().catch(() => undefined);
    const notRestored: string[] = [];
    for (const change of done) await restore(change).catch(() => notRestored.push(change.real));
    removeDirectories(createdDirectories);
    if (error === signal.reason) throw error;
    const message = systemMessage(error);
    if (notRestored.length === 0) return refuse(`Nothing was changed: applying the patch failed: ${message}.`);
    return refuse(
      `Applying the patch failed: ${message}. These files could not be put back as they were: ${notRestored.join(', ')}.`,
    );
  }
}

async function applyChange({ real, before }: PlannedChange, file: StagedFile | undefined): Promise<void> {
  if (before === undefined) return file?.create();
  const isDone = await changeIfSame(real, before, file?.replace ?? (() => rmSync(real)));
  if (!isDone) throw changedMeanwhile();
}

const changedMeanwhile = (): Error => new Error('something else has changed the file since it was read');

async function assertUnchanged(path: string, before: Buffer | undefined): Promise<void> {
  const isSame = before === undefined ? await isMissing(path) : await hasContent(path, before);
  if (!isSame) throw changedMeanwhile();
}

async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    () => true,
  );
}

async function restore({ real, before, after, previous }: PlannedChange): Promise<void> {
  await assertUnchanged(real, after);
  if (before === undefined) return rm(real);
  const write = after === undefined ? createAtomically : writeAtomically;
  await write(real, before, keepRights(previous));
}
