import { setTimeout as sleepFor } from 'node:timers/promises';
import { isLoopback } from '@varve/text';
import { attemptLedger } from './attempt-ledger.ts';
import { LlmError, throwIfAborted } from './error.ts';
import type { GenerateOptions, LanguageModel, ModelWrapper } from './language-model.ts';
import type { ModelReply } from './model-reply.ts';
import type { ModelRequest } from './model-request.ts';
import { isUnresolvedHost } from './is-unresolved-host.ts';
import { emitMessage, trackDeltas } from './track-deltas.ts';
import { wrappedModel } from './wrapped-model.ts';

/** Notice before each wait. */
export interface RetryNotice {
  /** Number of the failed attempt, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: LlmError;
}

/** Options of {@link retry}. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first; 5 by default. Waiting for a loading model does not count. */
  readonly attempts?: number;
  /** Longest time from the start of the first attempt to the start of the last; 10 minutes by default. */
  readonly maxTotalMs?: number;
  /** Longest wait between two attempts; 1 minute by default. The call fails when the provider requests more. */
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

/** Most empty replies to one call. */
const maxEmpty = 3;

/** Longest wait before the second attempt; the limit doubles with each further attempt. */
const firstDelayMs = 2000;

/**
 * Sends a request again after a retryable failure (`isRetryable`). Waits for the time requested by the provider,
 * otherwise for a random part of a limit that doubles each time. After an empty reply at temperature 0, the request is
 * repeated at temperature 1; after a malformed reply, without streaming. The third empty reply is final, because each
 * is paid for. An incomplete reply is discarded with a `reset` delta. The reply counts all attempts; when all fail, the
 * error of the last one is thrown.
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
  return (model) =>
    wrappedModel(
      model,
      (request, generateOptions = {}) => generateWithRetry(model, request, { options: generateOptions, policy }),
      { kind: 'retry', attempts, maxTotalMs, maxDelayMs, model: model.spec },
    );
}

type Policy = Required<Omit<RetryOptions, 'onRetry'>> & Pick<RetryOptions, 'onRetry'>;

async function generateWithRetry(
  model: LanguageModel,
  request: ModelRequest,
  { options, policy }: { readonly options: GenerateOptions; readonly policy: Policy },
): Promise<ModelReply> {
  const { signal, onDelta } = options;
  const startedAt = policy.now();
  let current = request;
  /** Set after a malformed stream: the server may answer correctly without streaming. */
  let avoidsStream = false;
  const failed = { counted: 0, futile: 0, empty: 0 };
  const ledger = attemptLedger();
  for (let attempt = 1; ; attempt += 1) {
    const { onDelta: tracked, reset } = trackDeltas(avoidsStream ? undefined : onDelta);
    try {
      const { onDelta: _whole, ...unstreamed } = options;
      const reply = await model.generate(current, tracked ? { ...options, onDelta: tracked } : unstreamed);
      if (onDelta && !tracked) emitMessage(reply.message, onDelta, () => throwIfAborted(signal));
      return ledger.reply({ ...reply, attempts: reply.attempts + attempt - 1 });
    } catch (error) {
      if (!(error instanceof LlmError)) throw error;
      const isCounted = !isLoading(error);
      if (isCounted) failed.counted += 1;
      if (isFutile(error)) failed.futile += 1;
      const delayMs = isCounted ? delayAfter(failed, error, policy) : loadingDelay(policy);
      if (error.code === 'empty') failed.empty += 1;
      if (failed.empty >= maxEmpty || delayMs === undefined || policy.now() - startedAt + delayMs > policy.maxTotalMs)
        throw ledger.failure(error);
      ledger.note(error);
      reset(error.message);
      policy.onRetry?.({ attempt, delayMs, error });
      current = withAdjustedTemperature(current, error);
      avoidsStream ||= error.code === 'malformed-reply';
      await sleepOrAbort(policy.sleep, delayMs, signal).catch((aborted: unknown) => {
        throw ledger.failure(aborted);
      });
    }
  }
}

/** Returns whether the server is loading its model: it will answer, so the wait does not count as an attempt. */
function isLoading({ code, message }: LlmError): boolean {
  return code === 'unavailable' && /loading model|model .{0,100}(?:is|still) (?:currently )?loading/i.test(message);
}

function loadingDelay({ random, maxDelayMs }: Policy): number {
  return Math.min(maxDelayMs, firstDelayMs * (1 + random()));
}

/** Raises temperature 0 to 1 after an empty reply, which would otherwise be repeated. */
function withAdjustedTemperature(request: ModelRequest, { code }: LlmError): ModelRequest {
  const { parameters } = request;
  if (code !== 'empty' || parameters.temperature !== 0) return request;
  return { ...request, parameters: { ...parameters, temperature: 1 } };
}

/** Number of failed attempts, and of those whose cause rarely disappears by waiting. */
interface FailureCounts {
  readonly counted: number;
  readonly futile: number;
}

/** Returns the milliseconds to wait after a failed attempt; undefined to stop. */
function delayAfter({ counted, futile }: FailureCounts, error: LlmError, policy: Policy): number | undefined {
  const { attempts, maxDelayMs, random } = policy;
  if (!error.isRetryable || counted >= attempts || (isFutile(error) && futile > 1)) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return random() * Math.min(maxDelayMs, firstDelayMs * 2 ** (counted - 1));
  // Never earlier than requested, and spread out so that clients do not return simultaneously.
  return retryAfterMs > maxDelayMs ? undefined : Math.min(maxDelayMs, retryAfterMs * (1 + random() / 10));
}

/**
 * Returns whether another attempt is unlikely to help: a malformed reply, a local server that is not running, or a host
 * name that does not resolve.
 */
function isFutile(error: LlmError): boolean {
  return error.code === 'malformed-reply' || isRefusedLocally(error) || isUnresolvedHost(error);
}

/** Sleeps. When an abort makes the sleep resolve, the next attempt rejects immediately. */
async function sleepOrAbort(sleep: Policy['sleep'], ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
}

async function defaultSleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(ms, undefined, signal && { signal });
}

/**
 * Returns whether an error was caused by a refused connection to a port of this machine: no server is running there.
 */
function isRefusedLocally(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isRefusedLocally);
  const isRefused = 'code' in error && error.code === 'ECONNREFUSED' && 'address' in error;
  return isRefused ? isLoopback(String(error.address)) : isRefusedLocally(error.cause);
}
