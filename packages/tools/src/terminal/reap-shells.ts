import { lstatSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endPrograms } from './end-programs.ts';
import { recordedProcess, stillRuns, type ProcessRecord } from './process-record.ts';
import { directoryPrefix, ownerFile, shellFile } from './terminal-names.ts';

/**
 * Ends the shells of terminals whose host is dead, with all that they have left running, and removes the directories of these
 * terminals. What is found is what closing a terminal finds: {@link endPrograms}. A process that merely has
 * the number of one that is gone is never touched, nor anything of another container, and what other users have written there
 * is not believed. What fails is left for the next time, and a terminal in which this very process was started for another.
 */
export async function reapShells(temporary: string, user = process.getuid?.()): Promise<void> {
  const names = await readdir(temporary).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(directoryPrefix))) {
    const directory = join(temporary, name);
    if (!isOwn(directory, user)) continue;
    const owner = recordedProcess(join(directory, ownerFile));
    if (owner === undefined || stillRuns(owner)) continue;
    if (!endPrograms(directory, await shellsIn(directory))) continue;
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Whoever may write there could name any process of ours. */
function isOwn(directory: string, user: number | undefined): boolean {
  try {
    const found = lstatSync(directory);
    return found.isDirectory() && found.uid === user && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

async function shellsIn(directory: string): Promise<readonly ProcessRecord[]> {
  const numbers = await readdir(directory).catch(() => []);
  return numbers
    .map((number) => recordedProcess(join(directory, number, shellFile)))
    .filter((one) => one !== undefined);
}
