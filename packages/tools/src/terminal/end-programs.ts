import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { ProcessEntry } from './process-entry.ts';
import { stillRuns, type ProcessRecord } from './process-record.ts';
import { processTable } from './process-table.ts';
import { sendSignal } from './send-signal.ts';
import { directoryVariable } from './terminal-names.ts';

/** A program may start another while it is looked for; nothing starts more after it was killed. */
const rounds = 5;

/** How often programs are looked at that were asked to end. */
const lookMs = 20;

/**
 * Kills what the shells of a terminal have left: all that runs in the sessions of `shells`, and on Linux every program that
 * got its environment from a shell of that terminal, also in a session of its own. Not found are programs that changed or
 * cleared the variable before they started, and those that run as another user.
 */
export function endPrograms(directory: string, shells: readonly ProcessRecord[] = []): void {
  for (let round = 0; round < rounds; round += 1) {
    const found = programsOf(directory, shells);
    if (found.length === 0) return;
    for (const { pid } of found) sendSignal(pid, 'SIGKILL');
  }
}

/** Asks the programs of a terminal whose shells are gone to end, and kills those that are there after `politeMs`; on Linux. */
export async function endLeftPrograms(directory: string, politeMs = 300): Promise<void> {
  for (const { pid } of programsOf(directory, [])) sendSignal(pid, 'SIGTERM');
  for (let ms = 0; ms < politeMs && programsOf(directory, []).length > 0; ms += lookMs) await setTimeout(lookMs);
  endPrograms(directory);
}

function programsOf(directory: string, shells: readonly ProcessRecord[]): readonly ProcessEntry[] {
  if (process.platform !== 'linux' && shells.length === 0) return [];
  const bySession = new Map(shells.map((shell) => [shell.pid, shell]));
  return processTable().filter(({ pid, session }) => {
    const shell = bySession.get(session);
    return (shell !== undefined && stillRuns(shell)) || isMarked(pid, directory);
  });
}

/** Whether a program got its environment from a shell of this terminal. */
function isMarked(pid: number, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${directoryVariable}=${directory}`);
  } catch {
    return false;
  }
}
