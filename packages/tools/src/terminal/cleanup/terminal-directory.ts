import { lstatSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killPrograms } from './kill-programs.ts';
import {
  type ProcessRecord,
  readProcessRecord,
  recordProcess,
  isStillRunning,
} from '../../processes/process-record.ts';

/** What the names of the private directories of terminals begin with. */
export const directoryPrefix = 'varve-terminal-';

/** The file in such a directory that tells who owns it. */
export const ownerFile = 'owner';

/** The file, in the directory of a shell, that tells its process. */
export const shellFile = 'shell';

/**
 * Makes the private directory of a terminal, among other temporary files. What hosts that were killed have left there is
 * removed before, and their shells are ended.
 */
export async function terminalDirectory(): Promise<string> {
  await killOrphanedShells(tmpdir());
  const directory = await mkdtemp(join(tmpdir(), directoryPrefix));
  recordProcess(join(directory, ownerFile), process.pid);
  return directory;
}

/**
 * Ends the shells of terminals whose host is dead, with all that they have left running, and removes the directories of these
 * terminals. What is found is what closing a terminal finds: {@link killPrograms}. A process that merely has
 * the number of one that is gone is never touched, nor anything of another container, and what other users have written there
 * is not believed. What fails is left for the next time, and a terminal in which this very process was started for another.
 */
export async function killOrphanedShells(temporary: string, user = process.getuid?.()): Promise<void> {
  const names = await readdir(temporary).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(directoryPrefix))) {
    const directory = join(temporary, name);
    if (!isOwn(directory, user)) continue;
    const owner = readProcessRecord(join(directory, ownerFile));
    if (owner === undefined || isStillRunning(owner)) continue;
    if (!killPrograms(directory, await shellsIn(directory))) continue;
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
    .map((number) => readProcessRecord(join(directory, number, shellFile)))
    .filter((one) => one !== undefined);
}
