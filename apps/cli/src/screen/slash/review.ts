import type { SessionCommand } from '../session-command.ts';

const task = `Review a change of this project, and change nothing yourself. Read the whole change and the code around it, and run the tests if that is possible. Report what is wrong, the worst first, each with its file and line, an input that shows it, and a fix: wrong results, lost data, security, races, broken callers, missing tests. Leave out matters of taste. If nothing is wrong, write that in one sentence.`;

/** Lets the agent review a change. */
export const review: SessionCommand = {
  name: 'review',
  argument: '[CHANGE]',
  description: 'lets the agent review a change: a commit, a branch, or what is not committed yet',
  run: async (session, change) =>
    session.send(`${task}\n\nThe change: ${change === '' ? 'what is not committed yet' : change}.`),
};
