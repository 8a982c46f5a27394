import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCalls } from './any-calls.ts';
import { readBack } from './read-back.ts';

test('four hundred thousand calls are read back from the text that they become', () => {
  let count = 0;
  const property = fc.property(anyCalls(fc), (made) => {
    expect(readBack(made)).toEqual(JSON.parse(JSON.stringify(made)));
    count += made.length;
  });
  // In rounds, because a property keeps what it ran. A list has two calls on average.
  for (let round = 0; round < 45; round += 1) fc.assert(property, { numRuns: 5000 });
  expect(count).toBeGreaterThanOrEqual(400_000);
});
