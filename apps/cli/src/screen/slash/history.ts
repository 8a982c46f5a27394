import type { SessionCommand } from '../session-command.ts';
import { runCaptured, storedId } from './captured.ts';

/** Shows the whole conversation. */
export const history: SessionCommand = {
  name: 'history',
  description: 'shows the whole conversation',
  async run(session) {
    const id = storedId(session);
    if (id !== undefined) await runCaptured(['show', id], session);
  },
};
