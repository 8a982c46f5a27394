/** Decisions read off a list of numbers: the same list always decides the same, and a shorter list decides less. */
export interface Choices {
  /** A number from 0 up to and without `bound`; 0 when the list is used up. */
  below(bound: number): number;
  /** One item; undefined when there is none. */
  oneOf<Item>(items: readonly Item[]): Item | undefined;
  /** True once in `times`. */
  once(times: number): boolean;
  readonly isEmpty: boolean;
}

/** Draws what a random log is made of. */
export function choices(numbers: ArrayLike<number>): Choices {
  let place = 0;
  const below = (bound: number): number => (numbers[place++] ?? 0) % bound;
  return {
    below,
    oneOf: (items) => items[below(Math.max(items.length, 1))],
    // 0 is what a shrunken list gives most: it must decide for the ordinary case.
    once: (times) => below(times) === times - 1,
    get isEmpty() {
      return place >= numbers.length;
    },
  };
}
