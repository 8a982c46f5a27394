import { expect, test } from 'vitest';
import { checkBodies } from './random-bodies.ts';

test('random bodies never make an operation fail unexpectedly', async () => {
  expect((await checkBodies(2)).length).toBeGreaterThan(20);
});
