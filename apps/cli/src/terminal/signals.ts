/** Handlers of Ctrl-C. */
export interface InterruptHandlers {
  /** The first Ctrl-C. */
  readonly pause: () => void;
  /** The second one, and a request to terminate. */
  readonly stop: () => void;
}

/** A closed window or a lost connection hangs up. */
const stopSignals = ['SIGTERM', 'SIGHUP'] as const;
const ignoredSignals = ['SIGQUIT', 'SIGUSR1'] as const;

function ignore(): void {
  // A signal without a listener would end this process.
}

/**
 * Handles Ctrl-C, a hangup and SIGTERM until `ending` is disposed: the first Ctrl-C pauses, the second stops, the third
 * exits. Ctrl-\\ and the signal that starts the debugger of Node have no effect. `ending` is created before what the
 * handlers stop, so that neither a signal nor a failed write ends the process before it is closed.
 */
export function onInterrupt({ pause, stop }: InterruptHandlers, ending: DisposableStack): void {
  let count = 0;
  const interrupted = (): void => {
    count += 1;
    if (count === 1) pause();
    else if (count === 2) stop();
    else process.exit(130);
  };
  process.on('SIGINT', interrupted);
  for (const signal of stopSignals) process.on(signal, stop);
  for (const signal of ignoredSignals) process.on(signal, ignore);
  ending.defer(() => {
    process.off('SIGINT', interrupted);
    for (const signal of stopSignals) process.off(signal, stop);
    for (const signal of ignoredSignals) process.off(signal, ignore);
  });
}
