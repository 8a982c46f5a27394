import { test } from 'vitest';
import { checkCrash, checkPositions, randomConversation } from './random-files.ts';

test.for([1, 2, 3, 4])(
  '1,000 random conversations return to their positions, also after a crash, part %i',
  async (part) => {
    for (let seed = part * 250; seed < (part + 1) * 250; seed++) {
      await using random = await randomConversation({ seed });
      await checkPositions(random).catch((cause: unknown) => Promise.reject(new Error(`Seed ${seed}.`, { cause })));
      await checkCrash(seed).catch((cause: unknown) => Promise.reject(new Error(`Seed ${seed}.`, { cause })));
    }
  },
);
