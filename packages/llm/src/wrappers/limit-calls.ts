import { setTimeout as sleepFor } from 'node:timers/promises';
import type { LanguageModel, ModelWrapper } from '../language-model.ts';
import { wrappedModel } from '../wrapped-model.ts';
import { rateLimiter, type LimitOptions } from './rate-limiter.ts';

/**
 * Limits the concurrency and rate of calls; further calls wait, first come, first served. All models wrapped by one
 * value share its limits, as they share a key. A call aborted while it waits does not count.
 *
 * @throws {RangeError} when no call could ever start.
 */
export function limitCalls(options: LimitOptions): ModelWrapper {
  const { concurrency = Infinity, requests = Infinity, windowMs = 60_000 } = options;
  const { sleep = sleepUntilAborted, now = () => performance.now() } = options;
  if (!(concurrency >= 1 && requests >= 1)) {
    throw new RangeError(`A limit of ${Math.min(concurrency, requests)} lets no call begin.`);
  }
  const enter = rateLimiter({ concurrency, requests, windowMs, sleep, now });
  const limits = {
    ...(options.concurrency !== undefined && { concurrency }),
    ...(options.requests !== undefined && { requests, windowMs }),
  };
  return (model) => {
    const generate: LanguageModel['generate'] = async (request, generateOptions = {}) => {
      const leave = await enter(generateOptions.signal);
      try {
        return await model.generate(request, generateOptions);
      } finally {
        leave();
      }
    };
    return wrappedModel(model, generate, { kind: 'limited', ...limits, model: model.spec });
  };
}

async function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleepFor(ms, undefined, { signal });
}
