import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCalls } from './any-calls.ts';
import { readBack } from './read-back.ts';

test('400,000 calls are read back from their text', () => {
  let count = 0;
  const property = fc.property(anyCalls(fc), (made) => {
    expect(readBack(made)).toEqual(JSON.parse(JSON.stringify(made)));
    count += made.length;
  });
  // In rounds, because a property keeps its runs in memory. A list has two calls on average.
  for (let round = 0; round < 45; round += 1) fc.assert(property, { numRuns: 5000 });
  expect(count).toBeGreaterThanOrEqual(400_000);
});
