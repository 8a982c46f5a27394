import type { SessionCommand } from '../session-command.ts';

/** Changes to the mode in which only reading runs. */
export const plan: SessionCommand = {
  name: 'plan',
  argument: '[TASK]',
  description: 'only reading runs, and the agent answers with a plan; Shift-Tab leaves this mode',
  async run(session, task) {
    await session.setMode('plan');
    if (task !== '') await session.send(task);
  },
};
