import { LlmError, abortError } from '../error.ts';

/** Ends one call early: when its caller aborts it, or when one of its two time limits is reached. */
export interface CallControl extends Disposable {
  /** Aborts when the call ends early, for any reason. */
  readonly signal: AbortSignal;
  /** Reason of the early end. */
  readonly endedBy: LlmError | undefined;
  /** @throws {LlmError} `aborted` or `timeout` once the call has ended. */
  throwIfEnded(): void;
  /** Starts or restarts the idle time limit. */
  resetIdleTimer(): void;
}

/** Time limits of a call, and its caller's signal. */
export interface CallControlOptions {
  readonly signal: AbortSignal | undefined;
  /** Maximum duration of the whole call. */
  readonly timeoutMs: number;
  /** Maximum time between two parts of a response. */
  readonly idleTimeoutMs: number;
  /** Named in messages. */
  readonly address: string;
}

/** Starts the time limits of a call; disposing stops them. The idle limit starts with `resetIdleTimer`. */
export function callControl({ signal, timeoutMs, idleTimeoutMs, address }: CallControlOptions): CallControl {
  const controller = new AbortController();
  let endedBy: LlmError | undefined;
  let idle: NodeJS.Timeout | undefined;
  const end = (error: LlmError): void => {
    endedBy ??= error;
    controller.abort(endedBy);
  };
  const onAbort = (): void => end(abortError(signal));
  const total = setTimeout(() => end(timeout(`took longer than ${timeoutMs} ms`)), timeoutMs);
  const timeout = (problem: string): LlmError => new LlmError('timeout', `${address} ${problem}.`);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return {
    signal: controller.signal,
    get endedBy() {
      return endedBy;
    },
    throwIfEnded() {
      if (endedBy) throw endedBy;
    },
    resetIdleTimer() {
      idle = idle?.refresh() ?? setTimeout(() => end(timeout(`was silent for ${idleTimeoutMs} ms`)), idleTimeoutMs);
    },
    [Symbol.dispose]() {
      clearTimeout(total);
      clearTimeout(idle);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
