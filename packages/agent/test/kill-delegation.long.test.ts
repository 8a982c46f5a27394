import { expect, test } from 'vitest';
import { dice } from './dice.ts';
import { killDelegation } from './kill-delegation.ts';

test('a process with hooks, a skill and sub-agents is killed at every third point of its work', async () => {
  let at = 1;
  while (await killDelegation([at])) at += 3;
  expect(at).toBeGreaterThan(40);
});

test('a process with hooks, a skill and sub-agents is killed repeatedly', async () => {
  const random = dice(3);
  for (let round = 0; round < 6; round++) {
    const at = Array.from({ length: 3 }, () => random.below(12) + 1);
    expect(await killDelegation(at), at.join()).toBe(true);
  }
});
