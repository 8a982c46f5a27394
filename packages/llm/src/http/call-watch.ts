import { LlmError } from '../error.ts';

/** Ends one call: when its caller aborts it, when it takes too long, or when its stream falls silent. */
export interface CallControl extends Disposable {
  /** Aborts when the call ends early, whatever the reason. */
  readonly signal: AbortSignal;
  /** Why the call ended early. */
  readonly endedBy: LlmError | undefined;
  /** @throws {LlmError} `aborted` or `timeout` once the call has ended. */
  throwIfEnded(): void;
  /** Starts, or starts anew, the clock of silence. */
  resetIdleTimer(): void;
}

/** How long a call may take, and who may end it. */
export interface CallControlOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Named in messages. */
  readonly address: string;
}

/** Watches a call from now on until it is disposed. */
export function callControl({ signal, timeoutMs, idleTimeoutMs, address }: CallControlOptions): CallControl {
  const controller = new AbortController();
  let ended: LlmError | undefined;
  let silence: NodeJS.Timeout | undefined;
  const end = (error: LlmError): void => {
    ended ??= error;
    controller.abort(ended);
  };
  const onAbort = (): void => end(new LlmError('aborted', 'The model call was aborted.', { cause: signal?.reason }));
  const total = setTimeout(() => end(late(`took longer than ${timeoutMs} ms`)), timeoutMs);
  const late = (problem: string): LlmError => new LlmError('timeout', `${address} ${problem}.`);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return {
    signal: controller.signal,
    get endedBy() {
      return ended;
    },
    throwIfEnded() {
      if (ended) throw ended;
    },
    resetIdleTimer() {
      silence = silence?.refresh() ?? setTimeout(() => end(late(`was silent for ${idleTimeoutMs} ms`)), idleTimeoutMs);
    },
    [Symbol.dispose]() {
      clearTimeout(total);
      clearTimeout(silence);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
