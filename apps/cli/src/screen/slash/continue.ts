import type { SessionCommand } from '../session-command.ts';
import { storedId } from './captured.ts';

/** Continues a run that was interrupted. */
export const continueRun: SessionCommand = {
  name: 'continue',
  description: 'continues work that was interrupted, and asks about waiting calls again',
  async run(session) {
    if (storedId(session) !== undefined) await session.continueRun();
  },
};
