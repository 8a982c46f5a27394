import type { SessionCommand } from '../session-command.ts';
import { runCaptured } from './captured.ts';

/** Lists the servers of tools. */
export const mcp: SessionCommand = {
  name: 'mcp',
  description: 'lists the servers of tools',
  run: async (session) => runCaptured(['mcp'], session),
};
