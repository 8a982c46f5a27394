import { LlmError } from '../error.ts';

/** How many may be inside at once, and how many may enter within a time. */
export interface RateLimiterOptions {
  readonly concurrency: number;
  readonly requests: number;
  readonly windowMs: number;
  /** Milliseconds that never run backwards. */
  readonly now: () => number;
  /** Must end early, resolving or rejecting, when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * A door: resolves with what must be called on leaving, in the order in which it was asked.
 *
 * @throws {LlmError} `aborted` when the signal aborts before there is room.
 */
export type RateLimiter = (signal: AbortSignal | undefined) => Promise<() => void>;

/** A door that nobody has gone through yet. */
export function rateLimiter({ concurrency, requests, windowMs, now, sleep }: RateLimiterOptions): RateLimiter {
  const queue: (() => void)[] = [];
  /** When the newest entered, oldest first, as many as the limit looks back at. */
  const entered: number[] = [];
  let inside = 0;
  let nap: AbortController | undefined;

  const delayMs = (): number => {
    const oldest = entered.length < requests ? undefined : entered[0];
    return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now());
  };
  const wakeUpIn = (ms: number): void => {
    if (nap) return;
    const current = new AbortController();
    nap = current;
    const open = (): void => {
      if (nap === current) nap = undefined;
      letIn();
    };
    void sleep(ms, current.signal).then(open, open);
  };
  const letIn = (): void => {
    while (queue.length > 0 && inside < concurrency) {
      const ms = delayMs();
      if (ms > 0) return wakeUpIn(ms);
      inside += 1;
      entered.push(now());
      if (entered.length > requests) entered.shift();
      queue.shift()?.();
    }
    // Nobody waits for time to pass, so no timer keeps the process alive.
    if (queue.length === 0) nap?.abort();
  };
  const leave = (): void => {
    inside -= 1;
    letIn();
  };
  return async (signal) => {
    if (signal?.aborted) throw abortion(signal);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      const place = queue.indexOf(resolve);
      // Who is inside already leaves by the door.
      if (place === -1) return;
      queue.splice(place, 1);
      letIn();
      reject(abortion(signal));
    };
    queue.push(resolve);
    signal?.addEventListener('abort', giveUp, { once: true });
    letIn();
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
    return once(leave);
  };
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

function abortion(signal: AbortSignal | undefined): LlmError {
  return new LlmError('aborted', 'The model call was aborted.', { cause: signal?.reason });
}
