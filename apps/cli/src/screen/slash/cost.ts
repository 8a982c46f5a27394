import type { SessionCommand } from '../session-command.ts';
import { runCaptured, storedId } from './captured.ts';

/** Shows tokens and cost with their causes. */
export const cost: SessionCommand = {
  name: 'cost',
  description: 'shows what tokens and money were used for, and what broke the cache',
  async run(session) {
    const id = storedId(session);
    if (id !== undefined) await runCaptured(['cost', id], session);
  },
};
