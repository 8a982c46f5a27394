/** Wakes readers that wait for appends. */
export interface Wakeups {
  /** Starts to listen for one log. Call it before the read that finds nothing; the caller disarms it. */
  arm(key: string | number): Wakeup;
  /** Wakes the readers of one log. */
  fire(key: string | number): void;
  /** Wakes all readers. */
  fireAll(): void;
}

/** The wait of one reader. */
export interface Wakeup {
  /** Resolves when fired after `arm`, or when the signal aborts. */
  fired(signal: AbortSignal): Promise<void>;
  /** Stops listening. Idempotent. */
  disarm(): void;
}

/**
 * Starts to watch for changes made by other processes, calls `onChange` for each, and returns a function that stops.
 * `armed` returns the keys of the readers that wait.
 */
export type Watch = (onChange: () => void, armed: () => ReadonlySet<string | number>) => () => void;

/** Creates wakeups that fire on `fire`, and, while a reader listens, on the changes that `watch` reports. */
export function wakeups(watch: Watch = () => () => {}): Wakeups {
  const armed = new Map<() => void, string | number>();
  let stop: (() => void) | undefined;
  const fireAll = (): void => {
    for (const resolve of armed.keys()) resolve();
  };
  return {
    arm(key) {
      const { promise, resolve } = Promise.withResolvers<void>();
      armed.set(resolve, key);
      stop ??= watch(fireAll, () => new Set(armed.values()));
      return {
        fired: (signal) => untilAborted(promise, resolve, signal),
        disarm() {
          armed.delete(resolve);
          if (armed.size > 0) return;
          stop?.();
          stop = undefined;
        },
      };
    },
    fire(key) {
      for (const [resolve, other] of armed) if (other === key) resolve();
    },
    fireAll,
  };
}

async function untilAborted(promise: Promise<void>, resolve: () => void, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  signal.addEventListener('abort', resolve, { once: true });
  await promise;
  signal.removeEventListener('abort', resolve);
}
