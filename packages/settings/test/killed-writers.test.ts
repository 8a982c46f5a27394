import { expect, test } from 'vitest';
import { killedWriters } from './killed-writers.ts';

test('three writers that are killed lose no setting, leave a valid file and no lock', async () => {
  const { reported, stored } = await killedWriters([3, 5, 8]);
  expect(reported.length).toBeGreaterThanOrEqual(16);
  expect(reported.filter((key) => !stored.includes(key))).toEqual([]);
});
