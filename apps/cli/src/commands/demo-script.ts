import { join } from 'node:path';
import type { ScriptedTurn } from '@varve/llm/testing';

/** Task of the demo. */
export const demoTask = 'The tests of this project fail. Find the cause and fix it.';

const plan = (first: string, second: string, third: string) => ({
  name: 'task_tracker',
  arguments: {
    command: 'plan',
    task_list: [
      { title: 'See which tests fail', status: first },
      { title: 'Find and fix the cause', status: second },
      { title: 'Run the tests again', status: third },
    ],
  },
});

const runTests = (summary: string) => ({
  name: 'terminal',
  arguments: { security_risk: 'LOW', summary, command: 'node --test' },
});

const editPattern = (path: string) => ({
  name: 'file_editor',
  arguments: {
    security_risk: 'LOW',
    summary: 'Match ms before m',
    command: 'str_replace',
    path,
    old_str: '(d|h|m|s|ms)',
    new_str: '(d|h|ms|m|s)',
  },
});

/** Scripted model replies for the demo project; every call in them is executed. */
export function demoSteps(workspace: string): readonly ScriptedTurn[] {
  const path = join(workspace, 'src', 'parse-duration.js');
  return [
    {
      text: 'I start with the tests, to see what fails.',
      calls: [plan('in_progress', 'todo', 'todo'), runTests('Run the tests')],
    },
    {
      text: 'Two tests fail, and both have to do with milliseconds: `250ms` is not read as a duration. I look at the parser.',
      calls: [{ name: 'file_editor', arguments: { summary: 'Read the parser', command: 'view', path } }],
    },
    {
      text: 'The pattern tries `m` before `ms`, so it takes `250m` and leaves an `s` over. The longer unit must come first.',
      calls: [plan('done', 'in_progress', 'todo'), editPattern(path)],
    },
    { text: 'Now the tests again.', calls: [runTests('Run the tests again')] },
    {
      calls: [
        plan('done', 'done', 'done'),
        {
          name: 'finish',
          arguments: {
            message:
              'The tests pass. parseDuration matched "m" before "ms", so "250ms" was read as 250 minutes and a stray "s". I put the longer unit first in the pattern in src/parse-duration.js; nothing else changed.',
          },
        },
      ],
    },
  ];
}
