import { isStopped } from '../../processes/process-table.ts';
import { sendSignal } from '../../processes/signals.ts';

const intervalMs = 250;

/**
 * Continues a shell that stops itself (`suspend`, `kill -STOP $$`) until `work` has settled: no other process
 * continues it. Only the shell itself is continued, not its jobs.
 */
export async function continueWhenStopped<Result>(pid: number, work: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => {
    if (isStopped(pid)) sendSignal(pid, 'SIGCONT');
  }, intervalMs);
  return work.finally(() => clearInterval(timer));
}
