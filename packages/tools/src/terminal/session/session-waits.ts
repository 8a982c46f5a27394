/** Why a wait ended; `quiet` and `late` mean that the command still runs. */
export type WaitEnd = 'finished' | 'ended' | 'quiet' | 'late' | 'aborted';

/** How long to wait; absent limits do not apply. */
export interface WaitLimits {
  /** Since the last output. */
  readonly quietMs?: number;
  /** Since now. */
  readonly lateMs?: number;
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly end: (end: WaitEnd) => void;
  readonly outputReceived: () => void;
}

/** Timers with longer delays fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Those who wait for what a shell does next. */
export class SessionWaits {
  readonly #waiters = new Set<Waiter>();

  /** Resolves when {@link end} is called, or a limit is reached. The signal has not aborted yet. */
  async next({ quietMs, lateMs, signal }: WaitLimits): Promise<WaitEnd> {
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const quiet = quietMs === undefined ? undefined : setTimeout(resolve, Math.min(quietMs, longestTimerMs), 'quiet');
    const late = lateMs === undefined ? undefined : setTimeout(resolve, Math.min(lateMs, longestTimerMs), 'late');
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

  /** The shell has written something. */
  outputReceived(): void {
    for (const waiter of this.#waiters) waiter.outputReceived();
  }

  /** What was waited for has come. */
  end(end: 'finished' | 'ended'): void {
    for (const waiter of this.#waiters) waiter.end(end);
  }
}
