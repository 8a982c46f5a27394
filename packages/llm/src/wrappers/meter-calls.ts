import type { TokenUsage } from '@varve/events';
import { baseUrlOf } from '@varve/events/specs';
import { LlmError, type LlmErrorCode, type FailedAttempt } from '../error.ts';
import type { GenerateOptions, ModelWrapper } from '../language-model.ts';
import { wrappedModel } from '../wrapped-model.ts';
import type { ModelReply } from '../model-reply.ts';
import { modelCatalog, type ModelCatalog } from './model-catalog.ts';

/** US dollars for a million tokens. Without their own price, cached tokens cost as much as other input tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Measurements of one call. */
export interface CallMeasure {
  /** Model that answered; the requested model when the call failed. */
  readonly model: string;
  readonly usage?: TokenUsage;
  /** Absent when unknown, never 0 instead. */
  readonly costUsd?: number;
  /** Source of the cost: the provider, the prices of the options, or the catalogue. */
  readonly costFrom?: 'provider' | 'prices' | 'catalog' | 'assumed';
  /** Milliseconds of the whole call, including waits and failed attempts. */
  readonly durationMs: number;
  /** Milliseconds until the first delta; absent without deltas. */
  readonly firstPieceMs?: number;
  readonly attempts?: number;
  /** Usage of attempts without a reply, not included in `usage`; absent when none reported usage. */
  readonly failedAttempts?: readonly FailedAttempt[];
  /** Error code of a failed call. */
  readonly failed?: LlmErrorCode;
}

/** Options of {@link meterCalls}. */
export interface MeterOptions {
  /** Prices agreed with the provider; they override the catalogue, but not a cost reported by the provider. */
  readonly prices?: TokenPrices;
  /**
   * Loads the catalogue, which is used without `prices`; `modelCatalog` by default. While it fails, costs are unknown.
   */
  readonly catalog?: () => Promise<ModelCatalog>;
  /** Called once per call, also after a failure. Must not throw. */
  readonly onCall?: (measure: CallMeasure) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Adds known costs to replies and failed attempts, and measures each call. */
export function meterCalls(options: MeterOptions = {}): ModelWrapper {
  const { now = () => performance.now() } = options;
  const { priced, allPriced } = pricing(options);
  return (model) => {
    const baseUrl = baseUrlOf(model.spec);
    return wrappedModel(model, async (request, generateOptions = {}) => {
      const clock = stopwatch(generateOptions, now);
      try {
        const reply = await model.generate(request, clock.options);
        const cost = await priced(reply, baseUrl);
        const failed = await allPriced(reply.failedAttempts, baseUrl);
        const { usage, attempts } = reply;
        const measure = { model: reply.model, ...(usage && { usage }), ...cost, ...failed, attempts };
        options.onCall?.({ ...measure, ...clock.read() });
        return { ...reply, ...failed, ...(cost.costUsd !== undefined && { costUsd: cost.costUsd }) };
      } catch (error) {
        if (!(error instanceof LlmError)) throw error;
        const failed = await allPriced(error.failedAttempts, baseUrl);
        options.onCall?.({ model: model.name, failed: error.code, ...failed, ...clock.read() });
        throw failed.failedAttempts ? error.with(failed) : error;
      }
    });
  };
}

/** Returns what finds the costs of replies and of failed attempts. */
function pricing({ prices, catalog: load = modelCatalog }: MeterOptions) {
  let loading: Promise<ModelCatalog | undefined> | undefined;
  const loaded = async (): Promise<ModelCatalog | undefined> => {
    try {
      return await load();
    } catch {
      // The reply is returned without a price; the next call loads the catalogue again.
      loading = undefined;
      return undefined;
    }
  };
  const priced = async ({ usage, costUsd, model }: Priceable, baseUrl: string | undefined): Promise<Priced> => {
    if (costUsd !== undefined) return { costUsd, costFrom: 'provider' };
    if (!usage) return {};
    if (prices) return { costUsd: costAt(prices, usage), costFrom: 'prices' };
    const catalog = await (loading ??= loaded());
    const entry = catalog?.find({ model, ...(baseUrl !== undefined && { baseUrl }) });
    const cost = entry?.costOf(usage);
    return cost === undefined ? {} : { costUsd: cost, costFrom: entry?.isAssumed ? 'assumed' : 'catalog' };
  };
  const allPriced = async (
    attempts: readonly FailedAttempt[] = [],
    baseUrl: string | undefined,
  ): Promise<Pick<CallMeasure, 'failedAttempts'>> => {
    const known = attempts.map(async (attempt) => {
      const { costUsd } = await priced(attempt, baseUrl);
      return { ...attempt, ...(costUsd !== undefined && { costUsd }) };
    });
    return attempts.length > 0 ? { failedAttempts: await Promise.all(known) } : {};
  };
  return { priced, allPriced };
}

type Priceable = Pick<ModelReply, 'model' | 'usage' | 'costUsd'>;
type Priced = Pick<CallMeasure, 'costUsd' | 'costFrom'>;

function costAt({ input, output, cacheRead = input, cacheWrite = input }: TokenPrices, usage: TokenUsage): number {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  const fresh = input_tokens - cache_read_tokens - cache_write_tokens;
  const dollars =
    fresh * input + cache_read_tokens * cacheRead + cache_write_tokens * cacheWrite + output_tokens * output;
  return dollars / 1_000_000;
}

function stopwatch(options: GenerateOptions, now: () => number) {
  const startedAt = now();
  let first: number | undefined;
  const { onDelta } = options;
  const timed: GenerateOptions = {
    ...options,
    ...(onDelta && {
      onDelta(delta) {
        first ??= now() - startedAt;
        onDelta(delta);
      },
    }),
  };
  return {
    options: timed,
    read: () => ({ durationMs: now() - startedAt, ...(first !== undefined && { firstPieceMs: first }) }),
  };
}
