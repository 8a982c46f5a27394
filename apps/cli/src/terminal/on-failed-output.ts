import { exitCodes } from '../failures/exit-codes.ts';

/**
 * Ends the command when its output cannot be written, because the reader is gone, as in `varve show ID | head`, or the
 * disk is full: a run stops as on SIGTERM, so that it can be resumed; other commands exit. `report` receives the error
 * unless the reader is gone, and returns whether the command ends.
 */
export function onFailedOutput(output: NodeJS.WritableStream, report: (error: Error) => boolean): void {
  let isGone = false;
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (isGone) return;
    isGone = true;
    const isClosed = error.code === 'EPIPE';
    if (!isClosed && !report(error)) return;
    if (!process.emit('SIGTERM')) process.exit(isClosed ? exitCodes.ok : exitCodes.usage);
  });
}
