import { gitRepository } from '@varve/tools/workspace';
import type { SessionCommand } from '../session-command.ts';

/** Shows what differs from the last commit, without programs of the repository, which the agent may have made. */
export const diff: SessionCommand = {
  name: 'diff',
  description: 'shows what differs from the last commit; the agent does not see it',
  async run({ shell, workspace }) {
    const { git } = await gitRepository(workspace);
    const status = await git('status', '--short');
    const changes = await git('diff', '--no-ext-diff', '--no-textconv', 'HEAD');
    const problem = changes.exitCode === 0 ? undefined : changes.message;
    shell.show('git diff HEAD', { output: `${status.output.toString()}${changes.output.toString()}`, problem });
  },
};
