import { expect, test } from 'vitest';
import { condenserKinds } from '@varve/condensers';
import { checkCondenserTask, condenserTasks } from './condenser-tasks.ts';

test('every kind of condenser has a task', () => {
  expect(Object.keys(condenserTasks).toSorted()).toEqual(condenserKinds.map(({ kind }) => kind).toSorted());
});

test.for(Object.entries(condenserTasks))(
  'a task of 150 steps in a small window ends with %s, legal and with its facts',
  async ([, task]) => checkCondenserTask(task, { steps: 150, contextWindow: 12_000 }),
);
