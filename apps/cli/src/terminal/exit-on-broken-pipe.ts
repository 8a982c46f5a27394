/**
 * Ends the command when the reader of its output is gone, as in `varve show ID | head`: a run stops as on SIGTERM, so
 * that it can be resumed; other commands exit.
 */
export function exitOnBrokenPipe(output: NodeJS.WritableStream): void {
  let isGone = false;
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (isGone) return;
    isGone = true;
    if (!process.emit('SIGTERM')) process.exit(0);
  });
}
