import { ToolError } from './error.ts';

/** Runs work one piece after the other, in the order of the calls. */
export type Mutex = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Creates a {@link Mutex}. Waiting work leaves the queue when its signal aborts.
 *
 * @throws {ToolError} `aborted` from the mutex when the signal aborts before the work has started.
 */
export function mutex(): Mutex {
  let last = Promise.resolve();
  return async (work, signal) => {
    const previous = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = previous.then(() => promise);
    try {
      await waitForTurn(previous, signal);
      return await work();
    } finally {
      resolve();
    }
  };
}

async function waitForTurn(previous: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new ToolError('aborted', 'The call was cancelled before it started.'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([promise, previous]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
