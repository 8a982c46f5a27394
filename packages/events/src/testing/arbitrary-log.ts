import type { LogEntry } from '../fold/timeline.ts';
import { choices } from './choices.ts';
import { randomSteps } from './random-steps.ts';
import { logWriter } from './log-writer.ts';

/** A log as a store hands it out. */
export type Log = readonly LogEntry[];

/** What is used of fast-check: pass the module. */
export interface NumberLists<Arbitrary> {
  uint32Array(constraints: { readonly maxLength: number; readonly size: 'max' }): {
    map(build: (numbers: Uint32Array) => Log): Arbitrary;
  };
}

/** How long and how wild the logs are. */
export interface ArbitraryLogOptions {
  /** This many events at most; default 60. */
  readonly maxEvents?: number;
}

/**
 * Logs as hostile as anything in the wild: calls without results and results without calls, reused ids of every sort,
 * branches and moved heads, condensations of summaries, masks, facts, unknown and broken events, odd texts.
 *
 * The type parameter says what `fc` makes, because TypeScript cannot infer it: `arbitraryLog<fc.Arbitrary<Log>>(fc)`.
 */
export function arbitraryLog<Arbitrary>(
  fc: NumberLists<Arbitrary>,
  { maxEvents = 60 }: ArbitraryLogOptions = {},
): Arbitrary {
  // An event takes about ten decisions.
  return fc
    .uint32Array({ maxLength: maxEvents * 10, size: 'max' })
    .map((numbers) => logOf(numbers).slice(0, maxEvents));
}

/** The log that a list of numbers stands for: the same numbers always give the same log. */
export function logOf(numbers: ArrayLike<number>): Log {
  const choose = choices(numbers);
  const log = logWriter(choose, choose.once(4) ? 'legacy' : 'tree');
  while (!choose.isEmpty) choose.oneOf(randomSteps)?.(log);
  return log.entries;
}
