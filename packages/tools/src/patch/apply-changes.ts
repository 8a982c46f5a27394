import type { Stats } from 'node:fs';
import { lstat, mkdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refuse, type Refusal, systemMessage } from '../files/refusal.ts';
import { stageFile, type StagedFile, writeAtomically } from '../files/write-atomically.ts';

/** One file to write or to remove. */
export interface PlannedChange {
  /** Links resolved. */
  readonly real: string;
  /** What is there now; undefined when nothing is. */
  readonly before: Buffer | undefined;
  /** What should be there; undefined to remove the file. */
  readonly after: Buffer | undefined;
  /** Whose mode and owner a written file gets. */
  readonly previous: Stats | undefined;
}

interface Staged {
  readonly change: PlannedChange;
  readonly file: StagedFile | undefined;
}

/**
 * Makes all changes or none: everything is written beside its place first, then put there; when that fails, what was put there
 * is taken back. A crash in the middle may leave some files new and some old, but none torn. Undefined when all are made; else
 * what the system says, and which files could not be taken back.
 */
export async function applyChanges(changes: readonly PlannedChange[]): Promise<Refusal | undefined> {
  const made: string[] = [];
  const staged: Staged[] = [];
  const done: PlannedChange[] = [];
  try {
    for (const change of changes) {
      if (change.after !== undefined) made.push(...(await createDirectories(dirname(change.real))));
      const file = change.after && (await stageFile(change.real, change.after, change.previous));
      staged.push({ change, file });
    }
    for (const { real, before } of changes) await assertUnchanged(real, before);
    for (const { change, file } of staged) {
      await (file === undefined ? rm(change.real) : file.commit());
      done.unshift(change);
    }
    return undefined;
  } catch (error) {
    for (const { file } of staged) await file?.discard().catch(() => undefined);
    const lost: string[] = [];
    for (const change of done) await restore(change).catch(() => lost.push(change.real));
    for (const directory of made.toReversed()) await rmdir(directory).catch(() => undefined);
    const words = systemMessage(error);
    if (lost.length === 0) return refuse(`Nothing was changed: applying the patch failed: ${words}.`);
    return refuse(
      `Applying the patch failed: ${words}. These files could not be put back as they were: ${lost.join(', ')}.`,
    );
  }
}

/** Creates a directory with its parents; returns those that were not there, outermost first. */
async function createDirectories(path: string): Promise<readonly string[]> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return [];
  const made = [path];
  while (made[0] !== first && made[0] !== undefined && made[0] !== dirname(made[0])) made.unshift(dirname(made[0]));
  return made;
}

async function assertUnchanged(path: string, before: Buffer | undefined): Promise<void> {
  const now = await lstat(path).then(
    () => readFile(path),
    () => undefined,
  );
  const isSame = now === undefined || before === undefined ? now === before : now.equals(before);
  if (!isSame) throw new Error('something else has changed the file meanwhile');
}

async function restore({ real, before, previous }: PlannedChange): Promise<void> {
  if (before === undefined) return rm(real, { force: true });
  return writeAtomically(real, before, previous);
}
