import type { SessionCommand } from '../session-command.ts';

/** Programs that a repository names do not run for it. */
const command = 'git status --short && git --no-pager diff --no-ext-diff --no-textconv HEAD';

/** Shows what differs from the last commit. */
export const diff: SessionCommand = {
  name: 'diff',
  description: 'shows what differs from the last commit; the agent does not see it',
  run: async ({ shell, workspace }) => shell.run(`!!${command}`, workspace),
};
