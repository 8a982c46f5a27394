/** Random choices determined by a seed. */
export interface Dice {
  /** Returns an integer from 0, below `end`; 0 if `end` is 0. */
  below(end: number): number;
  chance(probability: number): boolean;
  of<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** Returns dice with the same results for the same seed. @see mulberry32, which is in the public domain */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * Math.max(end, 1));
  return {
    below,
    chance: (probability) => next() < probability,
    of: (items) => items[below(items.length)] ?? items[0],
  };
}
