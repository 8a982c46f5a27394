import { abortError, throwIfAborted } from '../error.ts';

/** Options of `limitCalls`. */
export interface LimitOptions {
  /** Maximum number of concurrent calls, at least 1; unlimited by default. */
  readonly concurrency?: number;
  /** Maximum number of calls that start within a window, at least 1; unlimited by default. */
  readonly requests?: number;
  /** Length of the window; 1 minute by default. */
  readonly windowMs?: number;
  /** Must end early, resolving or rejecting, when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/**
 * Waits for admission, first come, first served. Resolves with a function that must be called when the call has ended.
 *
 * @throws {LlmError} `aborted` when the signal aborts during the wait.
 */
export type RateLimiter = (signal: AbortSignal | undefined) => Promise<() => void>;

/**
 * Creates a limiter of concurrency and of starts within a sliding window.
 *
 * `p-queue` 10.0.0 was tried. Its `signal` also rejects a running call with the bare reason, before the call has ended:
 * the partial reply is lost, and the next call starts above the limit (2 calls with `concurrency: 1`). It measures
 * windows with `Date.now()`: after the clock was set back by 2 s, a window of 100 ms took 2.1 s.
 */
export function rateLimiter(options: Required<LimitOptions>): RateLimiter {
  const { queue, admitNext, release } = admission(options);
  return async (signal) => {
    throwIfAborted(signal);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leaveQueue = (): void => {
      const position = queue.indexOf(resolve);
      // Already admitted: the caller releases its slot.
      if (position === -1) return;
      queue.splice(position, 1);
      admitNext();
      reject(abortError(signal));
    };
    queue.push(resolve);
    signal?.addEventListener('abort', leaveQueue, { once: true });
    admitNext();
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', leaveQueue);
    }
    return once(release);
  };
}

/** Admits waiting calls, in the order of the queue, as soon as the limits allow. */
function admission({ concurrency, requests, windowMs, now, sleep }: Required<LimitOptions>) {
  const queue: (() => void)[] = [];
  /** Start times of the newest calls, oldest first, at most `requests` of them. */
  const starts: number[] = [];
  let running = 0;
  let wakeTimer: AbortController | undefined;

  const delayMs = (): number => {
    const oldest = starts.length < requests ? undefined : starts[0];
    return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now());
  };
  const wakeAfter = (ms: number): void => {
    if (wakeTimer) return;
    const current = new AbortController();
    wakeTimer = current;
    const wake = (): void => {
      if (wakeTimer === current) wakeTimer = undefined;
      admitNext();
    };
    void sleep(ms, current.signal).then(wake, wake);
  };
  const admitNext = (): void => {
    while (queue.length > 0 && running < concurrency) {
      const ms = delayMs();
      if (ms > 0) return wakeAfter(ms);
      running += 1;
      starts.push(now());
      if (starts.length > requests) starts.shift();
      queue.shift()?.();
    }
    // Without waiting calls, no timer keeps the process alive.
    if (queue.length === 0) wakeTimer?.abort();
  };
  const release = (): void => {
    running -= 1;
    admitNext();
  };
  return { queue, admitNext, release };
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
