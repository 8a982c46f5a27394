import type { CliCommand } from '../command-line/cli-command.ts';
import type { BisectOptions } from '../print/bisect-files.ts';

/** Finds the change of files that changed the result of a command. */
export const bisect: CliCommand = (parent, io, done) => {
  parent
    .command('bisect')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .argument('<command...>', 'after --: exits with 0, another status below 128, or 125 to skip a state of the files')
    .description('Find the call that changed the result of a command: it runs in the workspace with files of the past.')
    .option('--overwrite <path...>', 'files that go back although something else changed them', [])
    .option('--leave <path...>', 'files and directories that stay as they are', [])
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--sign', 'sign the new events with the key that `varve key` created')
    .action(async (id: string, command: readonly string[], options: BisectOptions) => {
      const { withStored } = await import('../print/with-stored.ts');
      const { bisectFiles } = await import('../print/bisect-files.ts');
      await withStored(id, options, io, async (conversation) => {
        done(await bisectFiles(conversation, command, options, io));
      });
    });
};
