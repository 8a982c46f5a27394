import type { SessionCommand } from '../session-command.ts';

/** Leaves the session. */
export const quit: SessionCommand = {
  name: 'quit',
  description: 'leaves, and prints how to resume',
  run: (session) => session.quit(),
};
