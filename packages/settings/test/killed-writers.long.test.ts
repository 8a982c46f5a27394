import { expect, test } from 'vitest';
import { killedWriters } from './killed-writers.ts';

test('writers killed after any number of updates lose no setting', async () => {
  for (let round = 0; round < 40; round += 1) {
    const { reported, stored } = await killedWriters([1 + (round % 7), 2 + (round % 11), 3 + (round % 13)]);
    expect(reported.filter((key) => !stored.includes(key))).toEqual([]);
  }
});
