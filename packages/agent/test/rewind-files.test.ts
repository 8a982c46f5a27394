import { test } from 'vitest';
import { checkCrash, checkPositions, randomConversation } from './random-files.ts';

/** The last four: an editor and a concurrent command that change the same files. */
const seeds = [0, 1, 2, 3, 4, 5, 6, 7, 257, 688, 780, 886];

test('random conversations return to every position with their files, and leave those of a person', async () => {
  for (const seed of seeds) {
    await using random = await randomConversation({ seed });
    await checkPositions(random).catch((cause: unknown) => Promise.reject(new Error(`Seed ${seed}.`, { cause })));
  }
});

test('a return that a crash interrupted is finished when the conversation is opened', async () => {
  for (const seed of seeds)
    await checkCrash(seed).catch((cause: unknown) => Promise.reject(new Error(`Seed ${seed}.`, { cause })));
});
