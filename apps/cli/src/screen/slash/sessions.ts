import type { SessionCommand } from '../session-command.ts';
import { runCaptured } from './captured.ts';

/** Lists the conversations. */
export const sessions: SessionCommand = {
  name: 'sessions',
  argument: '[TEXT]',
  description: 'lists the conversations, or those with a text',
  run: async (session, text) => runCaptured(['ls', ...(text === '' ? [] : ['--search', text])], session),
};
