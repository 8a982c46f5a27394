/**
 * Ends the command when nobody reads its output any more, as in `varve show ID | head`: a run stops as on a request to
 * terminate, so that it can go on; anything else just ends.
 */
export function endWithReader(output: NodeJS.WritableStream): void {
  let isGone = false;
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (isGone) return;
    isGone = true;
    if (!process.emit('SIGTERM')) process.exit(0);
  });
}
