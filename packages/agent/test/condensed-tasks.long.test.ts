import { test } from 'vitest';
import { checkCondenserTask, condenserTasks } from './condenser-tasks.ts';

test.for(Object.entries(condenserTasks))(
  'a task of 2,000 steps under 64,000 tokens ends with %s, legal and with its facts',
  async ([, task]) => checkCondenserTask(task, { steps: 2_000, contextWindow: 64_000 }),
);
