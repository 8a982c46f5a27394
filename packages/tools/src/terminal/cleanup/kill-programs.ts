import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ancestryOf, type ProcessEntry, processTable } from '../../processes/process-table.ts';
import { sendSignal } from '../../processes/signals.ts';

/** Environment variable of every program started in a terminal; its value is the private directory of that terminal. */
export const directoryVariable = 'VARVE_TERMINAL';
import { type ProcessRecord, isStillRunning } from '../../processes/process-record.ts';

/** Program that was started in a terminal, with its command line; empty when it has ended. */
export type RunningProgram = Pick<ProcessEntry, 'pid'> & { readonly command: string };

/** Number of scans: a program may start another one during a scan, until it is killed itself. */
const maxScans = 5;

/** Interval at which terminated programs are polled. */
const pollMs = 20;

/**
 * Kills the programs left by the shells of a terminal: all in the sessions of `shells`, and on Linux every program that
 * inherited its environment from a shell of that terminal, also in a session of its own. Programs that changed or
 * cleared the variable before they started, or run as another user, are not found. Returns false and kills nothing when
 * this process or one of its ancestors is among them, as it may have been started in that terminal, and when the system
 * lists no processes.
 */
export function killPrograms(directory: string, shells: readonly ProcessRecord[] = []): boolean {
  for (let round = 0; round < maxScans; round += 1) {
    const table = processTable();
    if (table.length === 0) return false;
    const programs = findPrograms(directory, shells, table);
    if (programs.length === 0) return true;
    const spared = ancestryOf(process.pid, table);
    if (programs.some(({ pid }) => spared.has(pid))) return false;
    for (const { pid } of programs) sendSignal(pid, 'SIGKILL');
  }
  return true;
}

/**
 * Sends SIGTERM to the programs left by a terminal whose shells have ended, and kills those still running after
 * `politeMs`. Does nothing on systems other than Linux.
 */
export async function terminatePrograms(directory: string, politeMs = 300): Promise<void> {
  if (process.platform !== 'linux') return;
  const terminated = findPrograms(directory, [], processTable());
  for (const { pid } of terminated) sendSignal(pid, 'SIGTERM');
  for (let ms = 0; ms < politeMs && terminated.some(isStillRunning); ms += pollMs) await setTimeout(pollMs);
  killPrograms(directory);
}

/**
 * Returns the programs that inherited their environment from a shell of a terminal and are still running, without the
 * shells themselves. None on systems other than Linux.
 */
export function runningPrograms(directory: string, shells: readonly (number | undefined)[]): readonly RunningProgram[] {
  if (process.platform !== 'linux') return [];
  return findPrograms(directory, [], processTable())
    .filter(({ pid }) => !shells.includes(pid))
    .map(({ pid }) => ({ pid, command: commandOf(pid) }));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function findPrograms(
  directory: string,
  shells: readonly ProcessRecord[],
  table: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  const bySession = new Map(shells.map((shell) => [shell.pid, shell]));
  return table.filter(({ pid, session }) => {
    const shell = bySession.get(session);
    return (shell !== undefined && isStillRunning(shell)) || isMarked(pid, directory);
  });
}

/** Returns true if a program inherited its environment from a shell of this terminal. */
function isMarked(pid: number, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${directoryVariable}=${directory}`);
  } catch {
    return false;
  }
}
