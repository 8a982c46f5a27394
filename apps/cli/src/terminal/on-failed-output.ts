import { exitCodes } from '../failures/exit-codes.ts';

/**
 * Ends the command when its output cannot be written, because the reader is gone, as in `varve show ID | head` or with
 * a closed window, or the disk is full: a run stops as on SIGTERM, so that it can be resumed; other commands exit.
 * `report` receives the error unless the reader is gone, and returns whether the command ends.
 */
export function onFailedOutput(output: NodeJS.WritableStream, report: (error: Error) => boolean): void {
  let isGone = false;
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (isGone) return;
    isGone = true;
    const isClosed = error.code === 'EPIPE' || (error.code === 'EIO' && 'isTTY' in output && output.isTTY === true);
    if (!isClosed && !report(error)) return;
    if (!process.emit('SIGTERM')) process.exit(isClosed ? (process.exitCode ?? exitCodes.ok) : exitCodes.usage);
  });
}
