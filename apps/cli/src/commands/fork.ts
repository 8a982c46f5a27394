import { randomUUID } from 'node:crypto';
import type { Conversation } from '@varve/agent';
import type { CliCommand } from '../command-line/cli-command.ts';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { pathIn } from '../home/varve-home.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { pathsLeft, planLines } from '../wording/plan-lines.ts';

interface ForkCommandOptions extends Pick<RunOptions, 'store' | 'sign'> {
  readonly at?: string;
  readonly worktree?: string | true;
}

/** Copies a conversation within its store. */
export const fork: CliCommand = (parent, io, done) => {
  parent
    .command('fork')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .description('Start a new conversation with the events of another one, and print its id.')
    .option('--at <event>', 'id of the last event to copy')
    .option('--worktree [dir]', 'copy the files, as they were then, to a new directory: a worktree of a repository')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--sign', 'sign the new events with the key that `varve key` created')
    .action(async (id: string, { at, worktree, ...options }: ForkCommandOptions) => {
      const { withStored } = await import('../print/with-stored.ts');
      await withStored(id, options, io, async (conversation) => {
        const position = { id: randomUUID(), ...(at !== undefined && { at }) };
        const workspace = worktree === undefined ? {} : await copied(conversation, position, worktree, io);
        await using copy = await conversation.fork({ ...position, ...workspace });
        io.stdout.line(copy.id);
        if ('isComplete' in workspace && !workspace.isComplete) done(exitCodes.unfinished);
      });
    });
};

/** Copies the files for a fork, and reports what is not as it was. Without the fork, the copy belongs to nothing. */
async function copied(
  conversation: Conversation,
  { id, ...position }: { readonly id: string; readonly at?: string },
  worktree: string | true,
  io: TerminalIo,
): Promise<{ readonly workspace: string; readonly isComplete: boolean }> {
  const place = worktree !== true && { place: pathIn(io, worktree) };
  const files = await conversation
    .copyFiles({ ...position, ...place, name: id.slice(0, 8) })
    .catch(async (cause: unknown) => {
      // Loaded here, so that the help of all commands appears faster.
      const { ToolError } = await import('@varve/tools');
      if (!(cause instanceof ToolError)) throw cause;
      throw new CliError(exitCodes.usage, cause.message, '`--worktree DIR` names another directory.');
    });
  const { workspace, isWorktree, omitted } = files;
  const left = pathsLeft(files);
  const lines = [
    `Files are in ${workspace}, ${isWorktree ? 'a worktree of the repository' : 'a copy'}.`,
    ...(omitted.length > 0 ? [`Not copied: ${omitted.join(', ')}.`] : []),
    ...planLines(files).filter((_, index) => left.includes(files.steps[index]?.path ?? '')),
    ...files.left.map((path) => `${path} was changed meanwhile, and is not as it was.`),
    ...files.gaps.map((gap) => `Not all files may be as they were: ${gap}.`),
  ];
  for (const line of lines) io.stderr.line(line);
  return { workspace, isComplete: left.length === 0 };
}
