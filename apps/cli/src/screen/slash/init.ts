import type { SessionCommand } from '../session-command.ts';

const task = `Write the file AGENTS.md at the root of this project, for agents that work on it; if it exists, improve it and keep what is right. Read the documents, the configuration and enough of the code first, and try the commands that you name. Contents, at most 80 lines: what the project is; how to install, build, check and test it, also one test alone; where things are; the conventions that the code follows and that a reader does not see at once. Leave out what every engineer knows and what is not certain.`;

/** Lets the agent describe the project for agents. */
export const init: SessionCommand = {
  name: 'init',
  argument: '[FOCUS]',
  description: 'lets the agent write AGENTS.md, the description of the project for agents',
  run: async (session, focus) => session.send(focus === '' ? task : `${task}\n\n${focus}`),
};
