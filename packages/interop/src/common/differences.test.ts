import { expect, test } from 'vitest';
import { applyDifferences, differencesOf } from './differences.ts';

test('an object is read once for all of its changes', () => {
  let reads = 0;
  const from = {
    get a() {
      return ++reads;
    },
  };
  const changed = Array.from({ length: 100 }, (_, index) => ({ path: [`k${index}`], value: index }));
  expect(Object.keys(applyDifferences(from, { changed, removed: [] }) as object)).toHaveLength(101);
  expect(reads).toBe(1);
});

test.for([
  [
    { a: 1, b: { c: [1, { d: 2 }] } },
    { b: { c: [1, { d: 3, e: {} }] }, f: null },
  ],
  [{ a: [1, 2] }, { a: [1] }],
  [{ a: { b: 1 } }, 5],
] as const)('the differences of %j and %j lead from one to the other', ([from, to]) => {
  expect(applyDifferences(from, differencesOf(from, to))).toEqual(to);
});

test('later changes see earlier ones, removals come first, and missing ones remove nothing', () => {
  const changed = [
    { path: ['a', 'b'], value: 1 },
    { path: ['a'], value: { c: 2 } },
    { path: ['a', 'd'], value: 3 },
  ];
  const removed = [['a'], ['x', 'y']];
  expect(applyDifferences({ a: { z: 0 }, q: 1 }, { changed, removed })).toEqual({ q: 1, a: { c: 2, d: 3 } });
});
