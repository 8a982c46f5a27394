import { test } from 'vitest';
import { checkBodies } from './random-bodies.ts';

test('1,000 random bodies per operation never make it fail unexpectedly', async () => {
  await checkBodies(1000);
});
