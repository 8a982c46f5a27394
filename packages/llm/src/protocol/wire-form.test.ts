import { expect, test } from 'vitest';
import { cachedFold, type WireCache } from './wire-form.ts';

const items = 'abcd'.split('').map((name) => ({ name }));

/** Returns the items with these names, in the order of the names. */
function itemsOf(names: string) {
  return names.split('').flatMap((letter) => items.filter(({ name }) => name === letter));
}

test('a list that continues an earlier one is folded from there on, any other from its start', () => {
  const cache: WireCache = new WeakMap();
  const folded: string[] = [];
  const fold = (names: string): string =>
    cachedFold(cache, itemsOf(names), {
      initial: (): string[] => [],
      add(state, { name }) {
        folded.push(name);
        state.push(name);
      },
    }).join('');
  const lists = ['ab', 'abc', 'adc', 'a', 'bc', 'adc', 'bcd'];
  expect(lists.map(fold)).toEqual(lists);
  expect(folded.join('')).toBe('abcadcabcdcd');
});

test('an item that cannot be folded fails again, and is not left out', () => {
  const cache: WireCache = new WeakMap();
  const parse = (text: string) =>
    cachedFold(cache, [...items.slice(0, 1), ...itemsOf(text)], {
      initial: (): string[] => [],
      add: (state, { name }) => state.push(name === 'b' ? JSON.parse(name) : name),
    }).join('');
  expect(parse('')).toBe('a');
  expect(() => parse('b')).toThrow(SyntaxError);
  expect(() => parse('b')).toThrow(SyntaxError);
});
