import { lazy, type BaseEvent } from '@varve/events';
import * as z from 'zod';
import type { CondenseContext, TokenCounter } from '../condenser.ts';
import { CondenserError } from '../error.ts';

/** Limits of a view. The first one that is exceeded starts a condensation; without a limit only a demand does. */
export interface ViewLimits {
  /** Maximum number of events of a view. */
  readonly maxEvents?: number;
  /** Maximum tokens of a request. */
  readonly maxTokens?: number;
  /** Maximum share of the tokens that the model in use accepts; ignored while its window is unknown. */
  readonly windowShare?: number;
}

/** Schema of {@link ViewLimits} in specs. */
export const viewLimits = lazy(() => ({
  maxEvents: z.exactOptional(z.number()),
  maxTokens: z.exactOptional(z.number()),
  windowShare: z.exactOptional(z.number()),
}));

/** Options of condensers that keep the first events of a view. */
export interface KeepFirstOptions extends ViewLimits {
  /**
   * Minimum number of first events to keep. The prompt and the first user message are always kept. Default 1; 2 for
   * `rollingWindow` and summaries.
   */
  readonly keepFirst?: number;
}

/** Schema of {@link KeepFirstOptions} in specs. */
export const keepFirstOptions = lazy(() => ({ ...viewLimits(), keepFirst: z.exactOptional(z.number()) }));

/** Share of the accepted tokens beyond which a condensation can no longer wait. */
const urgentShare = 0.95;

/** View that exceeds a limit. */
export interface Excess {
  /** False if the view can be sent as it is: the condensation may fail. */
  readonly isUrgent: boolean;
  /** Index up to which events should be forgotten, so that about half of the limit is used afterwards. */
  readonly target: number;
}

/** What is kept of a view. */
export interface Kept {
  /** Number of first events. */
  readonly first: number;
  /** Number of last events after a limit of events; default half of it. */
  readonly last?: number;
}

/**
 * Returns how far a view exceeds its limits; undefined if it does not. Of several reasons the one counts that forgets
 * most.
 */
export function excessOf(
  events: readonly BaseEvent[],
  context: CondenseContext,
  limits: ViewLimits,
  kept: Kept,
): Excess | undefined {
  const { reason, tokens, maxInputTokens = Infinity } = context;
  const { maxEvents = Infinity } = limits;
  const { first, last = Math.floor(maxEvents / 2) - first - 1 } = kept;
  const maxTokens = tokenLimit(limits, maxInputTokens);
  const exceeds = (limit: number): boolean => limit !== Infinity && tokens.request(events) > limit;
  const targets: number[] = [];
  if (reason === 'demand') {
    const half = Math.floor(events.length / 2) - first - 1;
    targets.push(events.length - Math.max(0, Math.min(half, last)));
    if (maxTokens !== Infinity) targets.push(tailStart(events, tokens, { first, maxTokens: maxTokens / 2 }));
  }
  if (events.length > maxEvents) targets.push(events.length - Math.max(0, last));
  if (exceeds(maxTokens)) targets.push(tailStart(events, tokens, { first, maxTokens: maxTokens / 2 }));
  if (targets.length === 0) return undefined;
  const isUrgent = reason === 'demand' || exceeds(maxInputTokens * urgentShare);
  return { isUrgent, target: Math.max(...targets) };
}

/** Returns the lowest token limit; infinite without one. */
function tokenLimit({ maxTokens = Infinity, windowShare = Infinity }: ViewLimits, maxInputTokens: number): number {
  return Math.min(maxTokens, windowShare === Infinity ? Infinity : windowShare * maxInputTokens);
}

/** Returns the start of the longest end of a view that has at most `maxTokens` together with its first events. */
function tailStart(
  events: readonly BaseEvent[],
  tokens: TokenCounter,
  { first, maxTokens }: { readonly first: number; readonly maxTokens: number },
): number {
  let left = maxTokens - tokens.request(events.slice(0, first));
  let start = events.length;
  while (start > first) {
    const event = events[start - 1];
    left -= event ? tokens.event(event) : 0;
    if (left < 0) break;
    start--;
  }
  return start;
}

/** Checks numbers in options. @throws {CondenserError} `invalid`, naming the option. */
export function checkLimits(
  { maxEvents, maxTokens, windowShare }: ViewLimits,
  counts: Readonly<Record<string, number>> = {},
): void {
  checkCount('maxEvents', maxEvents, 1);
  checkCount('maxTokens', maxTokens, 1);
  for (const [name, count] of Object.entries(counts)) checkCount(name, count, 0);
  if (windowShare === undefined || (windowShare > 0 && windowShare <= 1)) return;
  throw new CondenserError('invalid', `windowShare is ${windowShare}, not a number above 0 and up to 1.`);
}

/** @throws {CondenserError} `invalid` for a number that is not an integer of at least `least`. */
export function checkCount(name: string, count: number | undefined, least: number): void {
  if (count === undefined || (Number.isInteger(count) && count >= least)) return;
  throw new CondenserError('invalid', `${name} is ${count}, not an integer of at least ${least}.`);
}
