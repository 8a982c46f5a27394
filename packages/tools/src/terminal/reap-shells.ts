import { lstatSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { recordedProcess, stillRuns, type ProcessRecord } from './process-record.ts';
import { processTable } from './process-table.ts';
import { sendSignal } from './send-signal.ts';
import { directoryPrefix, directoryVariable, ownerFile, shellFile } from './terminal-names.ts';

/** A program may start another while it is looked for; nothing starts more after it was killed. */
const rounds = 5;

/**
 * Ends the shells of terminals whose host is dead, with all that runs in their sessions, and removes the directories of these
 * terminals. Programs that left the session of their shell stay, as when a terminal is closed. A process that merely has
 * the number of one that is gone is never touched, nor anything of another container, and what other users have written there
 * is not believed. What fails is left for the next time.
 */
export async function reapShells(temporary: string, user = process.getuid?.()): Promise<void> {
  const names = await readdir(temporary).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(directoryPrefix))) {
    const directory = join(temporary, name);
    if (!isOwn(directory, user)) continue;
    const owner = recordedProcess(join(directory, ownerFile));
    if (owner === undefined || stillRuns(owner)) continue;
    end(await shellsIn(directory), directory);
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

function end(shells: readonly ProcessRecord[], directory: string): void {
  const bySession = new Map(shells.map((shell) => [shell.pid, shell]));
  for (let round = 0; round < rounds && bySession.size > 0; round += 1) {
    const found = processTable().filter(({ pid, session }) => {
      const shell = bySession.get(session);
      return shell !== undefined && (stillRuns(shell) || isMarked(pid, directory));
    });
    if (found.length === 0) return;
    for (const { pid } of found) sendSignal(pid, 'SIGKILL');
  }
}

/** Whether a program got its environment from a shell of this terminal. */
function isMarked(pid: number, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${directoryVariable}=${directory}`);
  } catch {
    return false;
  }
}
