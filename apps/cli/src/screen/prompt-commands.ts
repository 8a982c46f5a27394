import { userHome, varveHome } from '../home/varve-home.ts';
import { init } from './slash/init.ts';
import { review } from './slash/review.ts';
import type { Session } from './session.ts';
import type { SessionCommand } from './session-command.ts';

/** Commands that a file with their name replaces: add a line here. */
const builtIn: readonly SessionCommand[] = [init, review];

/** Returns the commands that send a text as a message: of Markdown files, and the built-in ones. */
export async function promptCommands({ workspace, io, screen }: Session): Promise<readonly SessionCommand[]> {
  const { loadPromptCommands, promptOf } = await import('@varve/settings/agent');
  const directories = { home: varveHome(io), userHome: userHome(io) };
  const { commands, warnings } = await loadPromptCommands(workspace, directories);
  for (const warning of warnings) screen.print(warning, 'yellow');
  const ofFiles = commands.map(({ template, ...command }): SessionCommand => ({
    ...command,
    run: async (session, typed) => session.send(promptOf({ template }, typed)),
  }));
  return [...ofFiles, ...builtIn.filter(({ name }) => !ofFiles.some((command) => command.name === name))];
}
