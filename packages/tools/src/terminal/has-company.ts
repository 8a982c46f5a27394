import { processTable } from './process-table.ts';

/** Whether other programs run in the session of a shell. */
export function hasCompany(shell: number | undefined): boolean {
  return shell !== undefined && processTable().some(({ pid, session }) => session === shell && pid !== shell);
}
