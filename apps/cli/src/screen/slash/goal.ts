import type { SessionCommand } from '../session-command.ts';

/** Runs until a model judges an objective as met. */
export const goal: SessionCommand = {
  name: 'goal',
  argument: 'OBJECTIVE',
  description: 'works until a model judges the objective as met',
  async run(session, objective) {
    if (objective === '') session.screen.print('Describe the objective: /goal All tests pass', 'yellow');
    else await session.send(objective, { goal: true });
  },
};
