/** Sends a signal to a process, or to a group when `target` is negative. A target that is gone is no error. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // Already gone.
  }
}
