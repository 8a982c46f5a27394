import { expect, test } from 'vitest';
import { findChange } from './find-change.ts';

/** Numbers from 0 to below `limit` that are the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test('the change of any results is found between two results, with few runs and only skipped ones between', async () => {
  for (let seed = 1; seed <= 500; seed++) {
    const below = numbers(seed * 7919);
    const last = 1 + below(200);
    const change = 1 + below(last);
    const share = below(3);
    const isSkipped = Array.from({ length: last + 1 }, () => below(10) < share);
    const runs: number[] = [];
    const { low, high } = await findChange(last, async (index) => {
      runs.push(index);
      return isSkipped[index] ? undefined : index >= change;
    });
    const between = Array.from({ length: high - low - 1 }, (_, at) => low + 1 + at);
    expect({ seed, isFound: low < change && change <= high }).toEqual({ seed, isFound: true });
    expect(between.filter((index) => !isSkipped[index])).toEqual([]);
    expect(new Set(runs).size).toBe(runs.length);
    expect(runs.filter((index) => index <= 0 || index >= last)).toEqual([]);
    const hasSkipped = runs.some((index) => isSkipped[index]);
    expect(runs.length).toBeLessThanOrEqual(hasSkipped ? last : Math.ceil(Math.log2(last)));
  }
});
