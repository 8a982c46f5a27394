import { eventCodec, type BaseEvent } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { isResult, statsProjection, usageOfCall, type Stats, type Usage } from '@varve/events/projections';
import { estimateRequest } from '@varve/llm';
import type { LogReader } from '@varve/storage';
import { CacheBreaks, type CacheBreak, type CostOf } from './cache-breaks.ts';
import { rebuiltRequests } from './rebuilt-requests.ts';

/** Reply of a model. */
export interface StepCost {
  readonly seq: number;
  /** UTC milliseconds. */
  readonly at: number;
  readonly model: string;
  /** Role of the model in the agent: `agent`, `condenser`, … */
  readonly purpose: string;
  readonly usage: Usage;
}

/** What used the tokens of a conversation, and what broke the cache of its prompt. */
export interface LogCost {
  readonly stats: Stats;
  /** Replies that this conversation requested: those that a fork copied count in their own. */
  readonly steps: readonly StepCost[];
  /** Results of tools: their estimated tokens, and the number of requests that contained them. */
  readonly results: readonly { readonly tool: string; readonly tokens: number; readonly requests: number }[];
  readonly breaks: readonly CacheBreak[];
}

/**
 * Returns the cost of a stored conversation with its causes, in one pass over its log. Needs no lease and no model.
 *
 * @param costOf Prices, with which the cost of a break of the cache is known.
 */
export async function readCost(log: LogReader, costOf: CostOf = () => undefined): Promise<LogCost> {
  const codec = eventCodec(builtinKinds);
  let stats = statsProjection.initial();
  const steps: StepCost[] = [];
  const breaks = new CacheBreaks(costOf);
  const results = new Map<BaseEvent, { tool: string; tokens: number; requests: number }>();
  for await (const entry of rebuiltRequests(log, codec)) {
    const { seq, event, call, request } = entry;
    stats = statsProjection.apply(stats, event, seq);
    breaks.add(entry);
    if (!call || call.inherited) continue;
    steps.push({ seq, at: call.at, model: call.model, purpose: call.usage_id, usage: usageOfCall(call) });
    for (const each of request?.events ?? []) {
      if (!isResult(each)) continue;
      const message = results.has(each) ? undefined : codec.kind(each.kind)?.toMessage?.(each);
      const tokens = message ? estimateRequest({ messages: [message], tools: [] }) : 0;
      const result = results.get(each) ?? { tool: each.tool_name, tokens, requests: 0 };
      result.requests += 1;
      results.set(each, result);
    }
  }
  return { stats: statsProjection.read(stats), steps, results: [...results.values()], breaks: breaks.found() };
}
