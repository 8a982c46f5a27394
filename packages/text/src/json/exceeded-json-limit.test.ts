import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exceededJsonLimit } from './exceeded-json-limit.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Counts as documented: every object and list, and one for each further value in it. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items: readonly unknown[] = Object.values(value);
  return Math.max(1, items.length) + items.reduce((sum: number, item) => sum + countOf(item), 0);
}

test('the depth and the number of values of any JSON are found, whatever its strings contain', () => {
  const json = fc.jsonValue({ maxDepth: 6, stringUnit: fc.constantFrom('"', '\\', '[', '{', ']', ',', 'a') });
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const [depth, values] = [depthOf(value), countOf(value)];
      expect(exceededJsonLimit(text, { depth, values })).toBeUndefined();
      fc.pre(depth > 0);
      expect(exceededJsonLimit(text, { depth: depth - 1, values })).toBe('depth');
      expect(exceededJsonLimit(text, { depth, values: values - 1 })).toBe('values');
    }),
  );
});

test.for([
  ['[', 'depth'],
  ['{"a":', 'depth'],
  ['[],', 'values'],
  ['0,', 'values'],
  ['"",', 'values'],
  ['"\\\\",', 'values'],
  ['"', undefined],
  ['\\', undefined],
  ['\\"', undefined],
] as const)('a million times %j, which is no JSON, exceeds %s', ([unit, limit]) => {
  expect(exceededJsonLimit(unit.repeat(1_000_000), { depth: 100, values: 1000 })).toBe(limit);
});
