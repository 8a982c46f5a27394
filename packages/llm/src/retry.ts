import { setTimeout as sleepFor } from 'node:timers/promises';
import { attemptLedger } from './attempt-ledger.ts';
import { type Delta, messageDeltas } from './delta.ts';
import { LlmError } from './error.ts';
import type { GenerateOptions, LanguageModel, ModelWrapper } from './language-model.ts';
import type { ModelReply } from './model-reply.ts';
import type { ModelRequest } from './model-request.ts';
import { isLoopback } from './is-loopback.ts';

/** Told before each wait. */
export interface RetryNotice {
  /** Which attempt failed, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: LlmError;
}

/** How often and how long a request is sent again. */
export interface RetryOptions {
  /** Attempts in all, the first included; 5 when absent. Waiting for a model that is being loaded does not count. */
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
 * otherwise a random part of a limit that doubles each time; after an empty reply at temperature 0, at temperature 1; after a
 * reply that cannot be read, without asking for a stream. A reply that broke off is forgotten with a `reset` delta. The reply
 * counts all attempts; the error of the last one is thrown.
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
      generateWithRetry(model, request, { options: generateOptions, policy }),
  });
}

type Policy = Required<Omit<RetryOptions, 'onRetry'>> & Pick<RetryOptions, 'onRetry'>;

interface RetryContext {
  readonly options: GenerateOptions;
  readonly policy: Policy;
}

async function generateWithRetry(
  model: LanguageModel,
  request: ModelRequest,
  { options, policy }: RetryContext,
): Promise<ModelReply> {
  const { signal, onDelta } = options;
  const began = policy.now();
  let asked = request;
  /** Whether a stream came that cannot be read: the server may do better without one. */
  let isBroken = false;
  const failed = { counted: 0, futile: 0 };
  const ledger = attemptLedger();
  for (let attempt = 1; ; attempt += 1) {
    let isHandedOut = false;
    const watched = (delta: Delta): void => {
      isHandedOut = delta.kind !== 'reset';
      onDelta?.(delta);
    };
    try {
      const { onDelta: _whole, ...unstreamed } = options;
      const isStreamed = onDelta !== undefined && !isBroken;
      const reply = await model.generate(asked, isStreamed ? { ...options, onDelta: watched } : unstreamed);
      if (!isStreamed) emitWhole(reply, options);
      return ledger.reply({ ...reply, attempts: reply.attempts + attempt - 1 });
    } catch (error) {
      if (!(error instanceof LlmError)) throw error;
      const isCounted = !isLoading(error);
      if (isCounted) failed.counted += 1;
      if (isFutile(error)) failed.futile += 1;
      const delayMs = isCounted ? delayAfter(failed, error, policy) : loadingDelay(policy);
      if (delayMs === undefined || policy.now() - began + delayMs > policy.maxTotalMs) throw ledger.failure(error);
      ledger.note(error);
      if (isHandedOut) onDelta?.({ kind: 'reset', reason: error.message });
      policy.onRetry?.({ attempt, delayMs, error });
      asked = withAdjustedTemperature(asked, error);
      isBroken ||= error.code === 'malformed-reply';
      await sleepOrAbort(policy.sleep, delayMs, signal).catch((aborted: unknown) => {
        throw ledger.failure(aborted);
      });
    }
  }
}

function emitWhole({ message }: ModelReply, { signal, onDelta }: GenerateOptions): void {
  for (const delta of onDelta ? messageDeltas(message) : []) {
    if (signal?.aborted) throw abortion(signal);
    onDelta?.(delta);
  }
}

function abortion(signal: AbortSignal): LlmError {
  return new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
}

/** A server that is loading its model will answer; how long that takes says nothing about how often to try. */
function isLoading({ code, message }: LlmError): boolean {
  return code === 'unavailable' && /loading model|model .{0,100}(?:is|still) (?:currently )?loading/i.test(message);
}

function loadingDelay({ random, maxDelayMs }: Policy): number {
  return Math.min(maxDelayMs, firstDelayMs * (1 + random()));
}

/** At temperature 0 a model that said nothing would say nothing again. */
function withAdjustedTemperature(request: ModelRequest, { code }: LlmError): ModelRequest {
  const { parameters } = request;
  if (code !== 'empty' || parameters.temperature !== 0) return request;
  return { ...request, parameters: { ...parameters, temperature: 1 } };
}

/** How many attempts failed, and how many of them in a way that hardly mends itself. */
interface FailureCounts {
  readonly counted: number;
  readonly futile: number;
}

/** Milliseconds to wait after a failed attempt, or undefined to give up. */
function delayAfter({ counted, futile }: FailureCounts, error: LlmError, policy: Policy): number | undefined {
  const { attempts, maxDelayMs, random } = policy;
  if (!error.isRetryable || counted >= attempts || (isFutile(error) && futile > 1)) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return random() * Math.min(maxDelayMs, firstDelayMs * 2 ** (counted - 1));
  // Never sooner than asked, and not everyone at the same moment.
  return retryAfterMs > maxDelayMs ? undefined : Math.min(maxDelayMs, retryAfterMs * (1 + random() / 10));
}

/** A server on this machine that is not running does not start by itself; a page instead of a reply stays a page. */
function isFutile(error: LlmError): boolean {
  return error.code === 'malformed-reply' || isRefusedLocally(error);
}

/** A sleep that an abort ends by resolving is left to the model, which rejects an aborted call at once. */
async function sleepOrAbort(sleep: Policy['sleep'], ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (error) {
    if (signal?.aborted) throw abortion(signal);
    throw error;
  }
}

async function defaultSleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(ms, undefined, signal && { signal });
}

/** Whether an error comes from a connection that a port of this machine refused: nothing is running there. */
function isRefusedLocally(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isRefusedLocally);
  const isRefused = 'code' in error && error.code === 'ECONNREFUSED' && 'address' in error;
  return isRefused ? isLoopback(String(error.address)) : isRefusedLocally(error.cause);
}
