import { test } from 'vitest';
import { simulate } from './testing/simulation.ts';

test.for([1, 2, 3, 4, 5])(
  '10,000 simulated conversations keep every promise, part %i',
  { timeout: 600_000 },
  async (part) => {
    for (let seed = part * 2_000; seed < (part + 1) * 2_000; seed++) {
      await simulate(seed).catch((error: unknown) => {
        throw new Error(`Seed ${seed} fails.`, { cause: error });
      });
    }
  },
);
