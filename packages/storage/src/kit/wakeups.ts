/** Tells waiting readers that there may be something new. */
export interface Wakeups {
  /** Starts to listen for one log, before the read that finds nothing. The caller disarms it. */
  arm(key: string | number): Wakeup;
  fire(key: string | number): void;
  fireAll(): void;
}

/** One reader's wait. */
export interface Wakeup {
  /** Resolves when fired since `arm`, or when the signal aborts. */
  fired(signal: AbortSignal): Promise<void>;
  /** Idempotent. */
  disarm(): void;
}

/** Starts to look for changes that nobody tells us of, and calls back on one; returns how to stop. */
export type Watch = (onChange: () => void) => () => void;

/** Wakes readers on `fire`, and, while any of them listens, on what `watch` sees. */
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
      stop ??= watch(fireAll);
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
