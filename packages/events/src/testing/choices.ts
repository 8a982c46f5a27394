/** Random decisions from a list of numbers: equal lists make equal decisions, and a shorter list makes fewer. */
export interface Choices {
  /** Returns a number from 0 up to `bound` (exclusive), and 0 after the end of the list. */
  below(bound: number): number;
  /** Returns one item; undefined for an empty list. */
  oneOf<Item>(items: readonly Item[]): Item | undefined;
  /** Returns true once in `times`. */
  once(times: number): boolean;
  readonly isEmpty: boolean;
}

/** Creates the decisions for a random log. */
export function choices(numbers: ArrayLike<number>): Choices {
  let place = 0;
  const below = (bound: number): number => (numbers[place++] ?? 0) % bound;
  return {
    below,
    oneOf: (items) => items[below(Math.max(items.length, 1))],
    // A shrunken list contains mostly zeros, so 0 must select the ordinary case.
    once: (times) => below(times) === times - 1,
    get isEmpty() {
      return place >= numbers.length;
    },
  };
}
