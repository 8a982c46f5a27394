import { expect, test } from 'vitest';
import { condenserFromSpec } from '@varve/condensers';
import { runCondensedTask } from './condensed-task.ts';
import { condenserTasks } from './condenser-tasks.ts';

test.for(Object.entries(condenserTasks))(
  'a task of 2,000 steps under 64,000 tokens ends with %s, legal and with its facts',
  async ([, { spec, keeps }]) => {
    const contextWindow = 64_000;
    const task = await runCondensedTask({ condenser: condenserFromSpec(spec), steps: 2_000, contextWindow });
    expect(task).toMatchObject({
      reason: 'finished',
      problems: [],
      knownFacts: expect.arrayContaining([...keeps]) as unknown,
    });
    expect(task.condensations).toBeGreaterThan(1);
    expect(task.largest).toBeLessThanOrEqual(contextWindow);
  },
);
