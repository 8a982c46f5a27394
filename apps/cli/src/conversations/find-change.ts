/** Indexes around a change: `low` has the first result, `high` the last one, and those between were skipped. */
export interface FoundChange {
  readonly low: number;
  readonly high: number;
}

/**
 * Searches the change between 0 and `last`, whose results differ. `isChanged` reports whether an index has the result
 * of `last`; undefined skips it, and the next one to the middle follows.
 */
export async function findChange(
  last: number,
  isChanged: (index: number) => Promise<boolean | undefined>,
): Promise<FoundChange> {
  const skipped = new Set<number>();
  for (let low = 0, high = last; ;) {
    const middle = (low + high) / 2;
    const left = Array.from({ length: high - low - 1 }, (_, at) => low + 1 + at).filter((at) => !skipped.has(at));
    const [next] = left.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    if (next === undefined) return { low, high };
    const result = await isChanged(next);
    if (result === undefined) skipped.add(next);
    else if (result) high = next;
    else low = next;
  }
}
