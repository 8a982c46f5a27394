import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type ProcessEntry, processTable } from '../../processes/process-table.ts';
import { sendSignal } from '../../processes/signals.ts';

/** Environment variable of every program started in a terminal; its value is the private directory of that terminal. */
export const directoryVariable = 'VARVE_TERMINAL';
import { type ProcessRecord, isStillRunning } from '../../processes/process-record.ts';

/** A program may start another while it is looked for; nothing starts more after it was killed. */
const rounds = 5;

/** How often programs are looked at that were asked to end. */
const lookMs = 20;

/**
 * Kills what the shells of a terminal have left: all that runs in the sessions of `shells`, and on Linux every program that
 * got its environment from a shell of that terminal, also in a session of its own. Not found are programs that changed or
 * cleared the variable before they started, and those that run as another user. Gives false, and kills nothing, when this
 * process is among them or comes from one of them: somebody may have gone on in what was started there.
 */
export function killPrograms(directory: string, shells: readonly ProcessRecord[] = []): boolean {
  for (let round = 0; round < rounds; round += 1) {
    const table = processTable();
    const found = programsOf(directory, shells, table);
    if (found.length === 0) return true;
    const spared = ancestryOf(process.pid, table);
    if (found.some(({ pid }) => spared.has(pid))) return false;
    for (const { pid } of found) sendSignal(pid, 'SIGKILL');
  }
  return true;
}

/** Asks the programs of a terminal whose shells are gone to end, and kills those that are there after `politeMs`; on Linux. */
export async function terminatePrograms(directory: string, politeMs = 300): Promise<void> {
  if (process.platform !== 'linux') return;
  const asked = programsOf(directory, [], processTable());
  for (const { pid } of asked) sendSignal(pid, 'SIGTERM');
  for (let ms = 0; ms < politeMs && asked.some(isStillRunning); ms += lookMs) await setTimeout(lookMs);
  killPrograms(directory);
}

function programsOf(
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

/** A process, and those that it comes from. */
function ancestryOf(last: number, table: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(table.map(({ pid, parent }) => [pid, parent]));
  const line = new Set<number>();
  for (let pid: number | undefined = last; pid !== undefined && !line.has(pid); pid = parents.get(pid)) line.add(pid);
  return line;
}

/** Whether a program got its environment from a shell of this terminal. */
function isMarked(pid: number, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${directoryVariable}=${directory}`);
  } catch {
    return false;
  }
}
