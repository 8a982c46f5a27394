import { expect, test } from 'vitest';
import { condenserFromSpec, condenserKinds } from '@varve/condensers';
import { runCondensedTask } from './condensed-task.ts';
import { condenserTasks } from './condenser-tasks.ts';

test('every kind of condenser has a task', () => {
  expect(Object.keys(condenserTasks).toSorted()).toEqual(condenserKinds.map(({ kind }) => kind).toSorted());
});

test.for(Object.entries(condenserTasks))(
  'a task of 150 steps in a small window ends with %s, legal and with its facts',
  async ([, { spec, keeps }]) => {
    const contextWindow = 12_000;
    const task = await runCondensedTask({ condenser: condenserFromSpec(spec), steps: 150, contextWindow });
    expect(task).toMatchObject({
      reason: 'finished',
      problems: [],
      knownFacts: expect.arrayContaining([...keeps]) as unknown,
    });
    expect(task.condensations).toBeGreaterThan(1);
    expect(task.largest).toBeLessThanOrEqual(contextWindow);
  },
);
