import { userHome, varveHome } from '../home/varve-home.ts';
import type { Session } from './session.ts';
import type { SessionCommand } from './session-command.ts';

const initTask = `Write the file AGENTS.md at the root of this project, for agents that work on it; if it exists, improve it and keep what is right. Read the documents, the configuration and enough of the code first, and try the commands that you name. Contents, at most 80 lines: what the project is; how to install, build, check and test it, also one test alone; where things are; the conventions that the code follows and that a reader does not see at once. Leave out what every engineer knows and what is not certain.`;
const reviewTask = `Review a change of this project, and change nothing yourself. Read the whole change and the code around it, and run the tests if that is possible. Report what is wrong, the worst first, each with its file and line, an input that shows it, and a fix: wrong results, lost data, security, races, broken callers, missing tests. Leave out matters of taste. If nothing is wrong, write that in one sentence.`;

/** Commands that a file with their name replaces. */
const builtIn: readonly SessionCommand[] = [
  {
    name: 'init',
    argument: '[FOCUS]',
    description: 'lets the agent write AGENTS.md, the description of the project for agents',
    run: async (session, focus) => session.send(focus === '' ? initTask : `${initTask}\n\n${focus}`),
  },
  {
    name: 'review',
    argument: '[CHANGE]',
    description: 'lets the agent review a change: a commit, a branch, or what is not committed yet',
    run: async (session, change) =>
      session.send(`${reviewTask}\n\nThe change: ${change === '' ? 'what is not committed yet' : change}.`),
  },
];
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
