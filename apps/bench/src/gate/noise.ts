/** Ratios of pairs: their median, and the range that contains the true one with a probability of 96 %. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the spread of the ratios of at least ten pairs. The range is one of ranks, so a few pairs that other load
 * disturbed do not widen it.
 */
export function spreadOf(ratios: readonly number[]): Spread {
  const sorted = ratios.toSorted((one, other) => one - other);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const last = sorted.length - 1;
  const outside = Math.max(0, Math.floor(sorted.length / 2 - Math.sqrt(sorted.length)));
  return {
    median: (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2,
    low: at(outside),
    high: at(last - outside),
  };
}

/** Differences below this are not reported, however certain they are. */
const smallest = 0.02;

/** Returns whether ratios of costs show a change beyond their noise. */
export function verdictOf({ low, high }: Spread): 'worse' | 'better' | '' {
  if (low > 1 + smallest) return 'worse';
  return high < 1 - smallest ? 'better' : '';
}
