import * as z from 'zod';
import { lazy } from '../lazy.ts';
import type { BaseEvent } from '../define-event.ts';
import { callFact, type Call } from '../facts/call.ts';
import type { TokenUsage } from '../token-usage.ts';
import { childFact } from '../facts/child.ts';
import { importFact } from '../facts/import.ts';
import { freezeJson } from '../immutable.ts';
import type { Projection } from '../fold/projection.ts';
import { stateFields } from './state-fields.ts';

/** Usage of a conversation, in total or of one model. */
export interface Usage extends TokenUsage {
  readonly calls: number;
  /** Sum of the known costs in US dollars; absent if there were calls and the price of none is known. */
  readonly cost_usd?: number;
  /** Calls with unknown price, which `cost_usd` does not include. */
  readonly unpriced_calls: number;
  readonly latency_ms: number;
}

/**
 * Totals over the whole log, all branches: the cost of an abandoned branch counts. Inherited calls do not count. The
 * usage of child conversations counts under the usage id `child:<its id>`: leave these out when adding up
 * conversations, because the children report their own usage.
 */
export interface Stats {
  readonly total: Usage;
  readonly byUsageId: Readonly<Record<string, Usage>>;
}

/** Usage while it is added up: unknown costs add nothing. */
type UsageSum = Usage & { readonly cost_usd: number };

interface StatsState {
  /** In order of their first event. Changed in place: a log may have thousands. */
  readonly byUsageId: Map<string, UsageSum>;
  /** True after the first fact. From then on only facts count. */
  readonly hasCalls: boolean;
}

const noUsage: UsageSum = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0,
  unpriced_calls: 0,
  latency_ms: 0,
};

const counters = Object.keys(noUsage) as readonly (keyof UsageSum)[];

/**
 * Sums the calls of a log. A log that was started by the reference has no call facts at first: facts are added to its
 * last `stats` update before the first fact, which contains tokens and cost, but no number of calls and no latency. Of
 * what an imported log claims, as much counts as leaves room for exact sums.
 */
export const statsProjection: Projection<StatsState, Stats> = {
  name: 'stats',
  version: 6,
  scope: 'log',
  initial: () => ({ byUsageId: new Map(), hasCalls: false }),
  apply(stats, event) {
    const call = callFact.read(event);
    if (call && !call.inherited) return withCall(stats, call);
    const child = childFact.read(event);
    if (child && !child.inherited) return withChild(stats, child);
    if (importFact.read(event)) return limited(stats);
    const foreign = stats.hasCalls ? undefined : foreignUsage(event);
    return foreign ? { byUsageId: foreign, hasCalls: false } : stats;
  },
  read: ({ byUsageId }) =>
    freezeJson({
      total: withoutUnknownCost(byUsageId.values().reduce(sum, noUsage)),
      byUsageId: Object.fromEntries(byUsageId.entries().map(([id, usage]) => [id, withoutUnknownCost(usage)])),
    }),
  encode: ({ byUsageId, hasCalls }) => ({
    byUsageId: Array.from(byUsageId, ([id, usage]) => [id, { ...usage }]),
    hasCalls,
  }),
  decode(json) {
    const { byUsageId, hasCalls } = json as unknown as { byUsageId: [string, UsageSum][]; hasCalls: boolean };
    return { byUsageId: new Map(byUsageId), hasCalls };
  },
};

function withoutUnknownCost(total: UsageSum): Usage {
  const { cost_usd: cost, ...usage } = total;
  return cost === 0 && usage.calls > 0 && usage.calls === usage.unpriced_calls ? usage : total;
}

function withCall({ byUsageId }: StatsState, call: Call): StatsState {
  byUsageId.set(call.usage_id, sum(byUsageId.get(call.usage_id) ?? noUsage, sumOfCall(call)));
  return { byUsageId, hasCalls: true };
}

/** Returns the usage of one call. */
export function usageOfCall(call: Call): Usage {
  return withoutUnknownCost(sumOfCall(call));
}

function sumOfCall(call: Call): UsageSum {
  return {
    ...noUsage,
    ...tokensOf(call),
    calls: 1,
    cost_usd: call.cost_usd ?? 0,
    unpriced_calls: call.cost_usd === undefined ? 1 : 0,
    latency_ms: call.latency_ms,
  };
}

/** The fact contains the total usage of the child, so it replaces an earlier one. */
function withChild(
  { byUsageId }: StatsState,
  {
    conversation_id: id,
    calls,
    unpriced_calls,
    cost_usd,
    latency_ms,
    usage,
  }: NonNullable<ReturnType<typeof childFact.read>>,
): StatsState {
  const used = { ...noUsage, ...tokensOf({ usage }), calls, unpriced_calls, cost_usd, latency_ms };
  byUsageId.set(`child:${id}`, used);
  return { byUsageId, hasCalls: true };
}

/** Returns only the known counters: a later version may have added fields to the fact. */
function tokensOf({ usage }: Pick<Call, 'usage'>): Partial<TokenUsage> {
  if (!usage) return {};
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = usage;
  return { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens };
}

const count = lazy(() => z.number().nonnegative().catch(0));
const foreignTokens = lazy(() =>
  z.object({
    prompt_tokens: count(),
    completion_tokens: count(),
    cache_read_tokens: count(),
    cache_write_tokens: count(),
    reasoning_tokens: count(),
  }),
);
const foreignMetrics = lazy(() =>
  z.object({
    accumulated_cost: count(),
    accumulated_token_usage: foreignTokens().nullish(),
    /** Seconds, one for each call. Only in the full form. */
    response_latencies: z.array(z.object({ latency: count() })).catch([]),
  }),
);
const foreignStats = lazy(() => z.object({ usage_to_metrics: z.record(z.string(), foreignMetrics()) }));

/**
 * @see software-agent-sdk ConversationStats: `stats` updates carry a short form, a `full_state` may carry the full one
 */
function foreignUsage(event: BaseEvent): Map<string, UsageSum> | undefined {
  const [, value] = stateFields(event).find(([key]) => key === 'stats') ?? [];
  const parsed = foreignStats().safeParse(value);
  if (!parsed.success) return undefined;
  const usages = Object.entries(parsed.data.usage_to_metrics);
  return new Map(usages.map(([id, metrics]) => [id, sum(noUsage, usageOf(metrics))]));
}

function usageOf(metrics: z.output<ReturnType<typeof foreignMetrics>>): UsageSum {
  const { accumulated_cost, accumulated_token_usage: tokens, response_latencies: latencies } = metrics;
  return {
    ...noUsage,
    calls: latencies.length,
    latency_ms: latencies.reduce((all, { latency }) => all + latency * 1000, 0),
    input_tokens: tokens?.prompt_tokens ?? 0,
    output_tokens: tokens?.completion_tokens ?? 0,
    cache_read_tokens: tokens?.cache_read_tokens ?? 0,
    cache_write_tokens: tokens?.cache_write_tokens ?? 0,
    reasoning_tokens: tokens?.reasoning_tokens ?? 0,
    cost_usd: accumulated_cost,
  };
}

/** Returns the sum of two usages; without a cost if neither has one. */
export function sumOfUsage(left: Usage, right: Usage): Usage {
  const { cost_usd: cost, ...counts } = sum(
    { ...left, cost_usd: left.cost_usd ?? 0 },
    { ...right, cost_usd: right.cost_usd ?? 0 },
  );
  const isPriced = left.cost_usd !== undefined || right.cost_usd !== undefined;
  return { ...counts, ...(isPriced && { cost_usd: cost }) };
}

function sum(left: UsageSum, right: UsageSum): UsageSum {
  return eachCounter((name) => finite(left[name] + right[name]));
}

/** Most that an imported log counts: a million dollars, and numbers to which whole ones can be added exactly. */
const mostImported: UsageSum = { ...eachCounter(() => 1e15), cost_usd: 1e6, latency_ms: 1e12 };

/** Limits usage to {@link mostImported} in total: the first usage ids keep theirs. */
function limited({ byUsageId, hasCalls }: StatsState): StatsState {
  let left = mostImported;
  for (const [id, usage] of byUsageId) {
    const before = left;
    const kept = eachCounter((name) => Math.min(usage[name], before[name]));
    left = eachCounter((name) => before[name] - kept[name]);
    byUsageId.set(id, kept);
  }
  return { byUsageId, hasCalls };
}

function eachCounter(valueOf: (name: keyof UsageSum) => number): UsageSum {
  return Object.fromEntries(counters.map((name) => [name, valueOf(name)])) as unknown as UsageSum;
}

/** A snapshot is JSON, which has no infinite numbers: a forged cost would be none after a restart. */
function finite(value: number): number {
  return Math.min(value, Number.MAX_VALUE);
}
