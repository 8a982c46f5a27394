import type { SessionCommand } from '../session-command.ts';
import { runCaptured } from './captured.ts';

/** Lists what files add to the agent. */
export const skills: SessionCommand = {
  name: 'skills',
  description: 'lists instructions, skills, hooks and servers that files add',
  run: async (session) => runCaptured(['config', 'context'], session),
};
