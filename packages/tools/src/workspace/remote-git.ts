import { shellWord } from '@varve/text';
import { ToolError } from '../contract/error.ts';
import { gitEnvironment } from '../git/git-environment.ts';
import type { RunGit } from '../git/git-repository.ts';
import { withoutCredentials } from '../git/run-git.ts';
import type { CommandOptions, CommandResult } from './workspace.ts';

/** Returns a function that runs git through shell commands, with the same restrictions as on this machine. */
export function remoteGit(execute: (command: string, options: CommandOptions) => Promise<CommandResult>): RunGit {
  return async ({ directory, args, settings = {}, variables = {}, signal }) => {
    const environment = Object.entries({ ...gitEnvironment(settings), ...variables });
    const words = [
      ...environment.map(([name, value]) => `${name}=${value}`),
      'git',
      '--no-pager',
      '--literal-pathspecs',
      ...args,
    ].map(shellWord);
    const command = `env ${words.join(' ')}`;
    const { exitCode, stdout, stderr, timedOut } = await execute(command, { directory, ...(signal && { signal }) });
    if (timedOut || exitCode === 127) throw new ToolError('unusable', `Git could not be run in ${directory}.`);
    return { exitCode, output: Buffer.from(stdout), message: withoutCredentials(stderr) };
  };
}
