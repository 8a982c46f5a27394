import { lstatSync } from 'node:fs';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removePrivateDirectory } from '../../files/private-file.ts';
import { killPrograms } from './kill-programs.ts';
import { type ProcessRecord, readProcessRecord, recordProcess, hasEnded } from '../../processes/process-record.ts';

/** Prefix of the names of private directories of terminals. */
export const directoryPrefix = 'varve-terminal-';

/** File in such a directory that identifies the owning process. */
export const ownerFile = 'owner';

/** Directory there with long outputs, which shells may read. */
export const outputsDirectory = 'outputs';

/** File in the directory of a shell that identifies its process. */
export const shellFile = 'shell';

/**
 * Creates the private directory of a terminal, after cleaning up what killed hosts left there. A shell in a sandbox
 * reads its own directory there and the outputs, and cannot reach the records of processes.
 */
export async function terminalDirectory(): Promise<string> {
  // Loaded here, because the first request to the model does not need it.
  const { privateDirectory } = await import('@varve/sandbox');
  const place = privateDirectory();
  await killOrphanedShells(place);
  const directory = await mkdtemp(join(place, directoryPrefix));
  await mkdir(join(directory, outputsDirectory), { mode: 0o700 });
  recordProcess(join(directory, ownerFile), process.pid);
  return directory;
}

/**
 * Kills the shells of terminals whose host process has died, with all programs that {@link killPrograms} finds, and
 * removes the directories of these terminals. Never touches a process that only reuses the number of a recorded one,
 * nor a process of another container, and ignores directories that other users can write. Failures are left for the
 * next call, and so is a terminal in which this process itself was started.
 */
export async function killOrphanedShells(temporary: string, user = process.getuid?.()): Promise<void> {
  const names = await readdir(temporary).catch(() => []);
  for (const name of names.filter((entry) => entry.startsWith(directoryPrefix))) {
    const directory = join(temporary, name);
    if (!isOwn(directory, user)) continue;
    const owner = readProcessRecord(join(directory, ownerFile));
    if (owner === undefined || !hasEnded(owner)) continue;
    if (!killPrograms(directory, await shellsIn(directory))) continue;
    await removePrivateDirectory(directory);
  }
}

/** Returns true if only this user can write the directory; others could record any process of this user there. */
function isOwn(directory: string, user: number | undefined): boolean {
  try {
    const stats = lstatSync(directory);
    return stats.isDirectory() && stats.uid === user && (stats.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

async function shellsIn(directory: string): Promise<readonly ProcessRecord[]> {
  const numbers = await readdir(directory).catch(() => []);
  return numbers
    .map((number) => readProcessRecord(join(directory, number, shellFile)))
    .filter((record) => record !== undefined);
}
