import type { SessionCommand } from '../session-command.ts';

/** Starts a new conversation. */
export const clear: SessionCommand = {
  name: 'clear',
  description: 'starts a new conversation; this one is kept',
  run: async (session) => session.switchTo(),
};
