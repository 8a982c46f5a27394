import { expect, test } from 'vitest';
import { mapStrings } from './map-strings.ts';

const upper = (text: string): string => text.toUpperCase();

test('every string is changed, and property names where that is asked for', () => {
  const value = { a: ['b', 1, null, { c: 'd' }] };
  expect(mapStrings(value, upper)).toEqual({ a: ['B', 1, null, { c: 'D' }] });
  expect(mapStrings(value, upper, upper)).toEqual({ A: ['B', 1, null, { C: 'D' }] });
});

test('parts in which nothing changes are the same objects', () => {
  const same = { a: ['B'], c: undefined };
  const value = { same, other: 'x' };
  expect(mapStrings(same, upper)).toBe(same);
  expect(mapStrings(value, upper).same).toBe(same);
  expect(value.other).toBe('x');
});

test('what does not change keeps its place next to what does, and the value is not changed', () => {
  const value = { a: 'A', b: ['X', 'y', 'Z'], c: 'C' };
  expect(JSON.stringify(mapStrings(value, upper))).toBe('{"a":"A","b":["X","Y","Z"],"c":"C"}');
  expect(value.b).toEqual(['X', 'y', 'Z']);
});

test('a property named __proto__ stays a property', () => {
  const value: unknown = JSON.parse('{"__proto__":"a"}');
  expect(JSON.stringify(mapStrings(value, upper))).toBe('{"__proto__":"A"}');
});
