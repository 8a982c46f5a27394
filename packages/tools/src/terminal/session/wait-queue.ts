/**
 * Reason why a wait ended; `quiet` and `late` mean that the command is still running, `unusable` that it was not
 * started.
 */
export type WaitEnd = 'finished' | 'unusable' | 'ended' | 'quiet' | 'late' | 'aborted';

/** Limits of a wait; absent limits do not apply. */
export interface WaitLimits {
  /** Time since the last output. */
  readonly quietMs?: number;
  /** Time since the start of the wait. */
  readonly lateMs?: number;
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly end: (end: WaitEnd) => void;
  readonly outputReceived: () => void;
}

/** Node.js fires timers with longer delays immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls that wait for the next event of a shell. */
export class WaitQueue {
  readonly #waiters = new Set<Waiter>();

  /** Resolves when {@link end} is called, or a limit is reached. The signal must not have aborted yet. */
  async next({ quietMs, lateMs, signal }: WaitLimits): Promise<WaitEnd> {
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const quiet = quietMs === undefined ? undefined : setTimeout(resolve, Math.min(quietMs, maxTimerMs), 'quiet');
    const late = lateMs === undefined ? undefined : setTimeout(resolve, Math.min(lateMs, maxTimerMs), 'late');
    const abort = (): void => resolve('aborted');
    signal?.addEventListener('abort', abort, { once: true });
    const waiter = { end: resolve, outputReceived: () => quiet?.refresh() };
    this.#waiters.add(waiter);
    try {
      return await promise;
    } finally {
      clearTimeout(quiet);
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
      this.#waiters.delete(waiter);
    }
  }

  /** Restarts the quiet period of every wait. */
  outputReceived(): void {
    for (const waiter of this.#waiters) waiter.outputReceived();
  }

  /** Ends every wait. */
  end(end: 'finished' | 'unusable' | 'ended'): void {
    for (const waiter of this.#waiters) waiter.end(end);
  }
}
