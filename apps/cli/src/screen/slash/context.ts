import type { SessionCommand } from '../session-command.ts';
import { runCaptured, storedId } from './captured.ts';

/** Shows the tokens of the next request. */
export const context: SessionCommand = {
  name: 'context',
  description: 'shows how many tokens each part of the next request takes',
  async run(session) {
    const id = storedId(session);
    if (id !== undefined) await runCaptured(['context', id], session);
  },
};
