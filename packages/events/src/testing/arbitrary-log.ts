import type { LogEntry } from '../fold/timeline.ts';
import { choices } from './choices.ts';
import { randomSteps } from './random-steps.ts';
import { logWriter } from './log-writer.ts';

/** Log as a store returns it. */
export type Log = readonly LogEntry[];

/** Part of fast-check that {@link arbitraryLog} uses: pass the module. */
export interface NumberLists<Arbitrary> {
  uint32Array(constraints: { readonly maxLength: number; readonly size: 'max' }): {
    map(build: (numbers: Uint32Array) => Log): Arbitrary;
  };
}

/** Options of {@link arbitraryLog}. */
export interface ArbitraryLogOptions {
  /** Maximum number of events; default 60. */
  readonly maxEvents?: number;
}

/**
 * Creates an arbitrary of hostile logs: calls without results and results without calls, repeated ids, branches and
 * moved heads, condensations of summaries, masks, facts, unknown and invalid events, edge case texts.
 *
 * The type parameter is the arbitrary of `fc`, which TypeScript cannot infer: `arbitraryLog<fc.Arbitrary<Log>>(fc)`.
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

/** Returns the log that is derived from a list of numbers: equal numbers return equal logs. */
export function logOf(numbers: ArrayLike<number>): Log {
  const choose = choices(numbers);
  const log = logWriter(choose, choose.once(4) ? 'legacy' : 'tree');
  while (!choose.isEmpty) choose.oneOf(randomSteps)?.(log);
  return log.entries;
}
