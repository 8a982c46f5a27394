/** Handlers of Ctrl-C. */
export interface InterruptHandlers {
  /** The first Ctrl-C. */
  readonly pause: () => void;
  /** The second one, and a request to terminate. */
  readonly stop: () => void;
}

/**
 * Handles Ctrl-C and SIGTERM until the returned function is called: the first Ctrl-C pauses, the second stops, the
 * third exits.
 */
export function onInterrupt({ pause, stop }: InterruptHandlers): () => void {
  let count = 0;
  const interrupted = (): void => {
    count += 1;
    if (count === 1) pause();
    else if (count === 2) stop();
    else process.exit(130);
  };
  process.on('SIGINT', interrupted);
  process.on('SIGTERM', stop);
  return () => {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', stop);
  };
}
