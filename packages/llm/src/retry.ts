import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Delta } from './delta.ts';
import { LlmError } from './error.ts';
import type { GenerateOptions, ModelWrapper } from './language-model.ts';
import type { ModelReply } from './model-reply.ts';
import { isRefusedLocally } from './refused-locally.ts';

/** Told before each wait. */
export interface RetryNotice {
  /** Which attempt failed, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: LlmError;
}

/** How often and how long a request is sent again. */
export interface RetryOptions {
  /** Attempts in all, the first included; 5 when absent. */
  readonly attempts?: number;
  /** No attempt begins later than this after the first began; 10 minutes when absent. */
  readonly maxTotalMs?: number;
  /** Longest wait between two attempts; 1 minute when absent. A provider that asks for more ends the call. */
  readonly maxDelayMs?: number;
  /** Must end early, resolving or rejecting, when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 up to but not including 1. */
  readonly random?: () => number;
  /** Milliseconds that never run backwards. */
  readonly now?: () => number;
  /** Must not throw. */
  readonly onRetry?: (notice: RetryNotice) => void;
}

/** The wait before the second attempt is at most this long; each further one at most twice the one before. */
const firstDelayMs = 2000;

/**
 * Sends a request again while its failure says that this may help (`isRetryable`). Waits as long as the provider asked,
 * otherwise a random part of a limit that doubles each time. A reply that broke off is forgotten with a `reset` delta. The
 * reply counts all attempts; the error of the last one is thrown as it is.
 */
export function retry(options: RetryOptions = {}): ModelWrapper {
  const policy: Policy = {
    attempts: 5,
    maxTotalMs: 600_000,
    maxDelayMs: 60_000,
    sleep: defaultSleep,
    random: Math.random,
    now: () => performance.now(),
    ...options,
  };
  const { attempts, maxTotalMs, maxDelayMs } = policy;
  return (model) => ({
    name: model.name,
    capabilities: model.capabilities,
    spec: { kind: 'retry', attempts, maxTotalMs, maxDelayMs, model: model.spec },
    generate: (request, generateOptions = {}) =>
      persist((watched) => model.generate(request, watched), generateOptions, policy),
  });
}

type Policy = Required<Omit<RetryOptions, 'onRetry'>> & Pick<RetryOptions, 'onRetry'>;
type Attempt = (options: GenerateOptions) => Promise<ModelReply>;

async function persist(attemptOnce: Attempt, options: GenerateOptions, policy: Policy): Promise<ModelReply> {
  const { signal, onDelta } = options;
  const began = policy.now();
  for (let attempt = 1; ; attempt += 1) {
    let isHandedOut = false;
    const watched = (delta: Delta): void => {
      isHandedOut = delta.kind !== 'reset';
      onDelta?.(delta);
    };
    try {
      const reply = await attemptOnce({ ...options, ...(onDelta && { onDelta: watched }) });
      return { ...reply, attempts: reply.attempts + attempt - 1 };
    } catch (error) {
      if (!(error instanceof LlmError)) throw error;
      const delayMs = delayBefore(attempt, error, policy);
      if (delayMs === undefined || policy.now() - began + delayMs > policy.maxTotalMs) throw error;
      if (isHandedOut) onDelta?.({ kind: 'reset', reason: error.message });
      policy.onRetry?.({ attempt, delayMs, error });
      await sleepOrAbort(policy.sleep, delayMs, signal);
    }
  }
}

/** Milliseconds to wait after a failed attempt, or undefined to give up. */
function delayBefore(attempt: number, error: LlmError, policy: Policy): number | undefined {
  const { attempts, maxDelayMs, random } = policy;
  if (!error.isRetryable || attempt >= Math.min(attempts, usefulAttempts(error))) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return random() * Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1));
  // Never sooner than asked, and not everyone at the same moment.
  return retryAfterMs > maxDelayMs ? undefined : Math.min(maxDelayMs, retryAfterMs * (1 + random() / 10));
}

/** A server on this machine that is not running does not start by itself; a page instead of a reply stays a page. */
function usefulAttempts(error: LlmError): number {
  return error.code === 'malformed-reply' || isRefusedLocally(error) ? 2 : Infinity;
}

/** A sleep that an abort ends by resolving is left to the model, which rejects an aborted call at once. */
async function sleepOrAbort(sleep: Policy['sleep'], ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (error) {
    if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
    throw error;
  }
}

async function defaultSleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(ms, undefined, signal && { signal });
}
