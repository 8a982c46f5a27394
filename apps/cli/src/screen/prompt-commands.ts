import { userHome, varveHome } from '../home/varve-home.ts';
import type { Session } from './session.ts';
import type { SessionCommand } from './session-command.ts';

/** Returns the commands of Markdown files: each sends its text as a message. */
export async function promptCommands({ workspace, io, screen }: Session): Promise<readonly SessionCommand[]> {
  const { loadPromptCommands, promptOf } = await import('@varve/settings/agent');
  const directories = { home: varveHome(io), userHome: userHome(io) };
  const { commands, warnings } = await loadPromptCommands(workspace, directories);
  for (const warning of warnings) screen.print(warning, 'yellow');
  return commands.map(({ template, ...command }) => ({
    ...command,
    run: async (session, typed) => session.send(promptOf({ template }, typed)),
  }));
}
