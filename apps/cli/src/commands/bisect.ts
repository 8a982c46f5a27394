import type { CliCommand } from '../command-line/cli-command.ts';
import type { RunOptions } from '../opening/run-options.ts';

const collect = (path: string, paths: readonly string[]): readonly string[] => [...paths, path];

/** Finds the change of files that changed the result of a command. */
export const bisect: CliCommand = (parent, io, done) => {
  parent
    .command('bisect')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .argument('<command...>', 'after --: exits with 0, another status below 128, or 125 to skip a state of the files')
    .description('Find the call that changed the result of a command: it runs in the workspace with files of the past.')
    .option(
      '--overwrite <path>',
      'a file that goes back although something else changed it; may be repeated',
      collect,
      [],
    )
    .option('--leave <path>', 'a file or directory that stays as it is; may be repeated', collect, [])
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--sign', 'sign the new events with the key that `varve key` created')
    .action(async (id: string, command: readonly string[], options: BisectCommandOptions) => {
      const { withStored } = await import('../print/with-stored.ts');
      const { bisectFiles } = await import('../print/bisect-files.ts');
      await withStored(id, options, io, async (conversation) => {
        done(await bisectFiles(conversation, command, options, io));
      });
    });
};

interface BisectCommandOptions extends Pick<RunOptions, 'store' | 'sign'> {
  readonly overwrite: readonly string[];
  readonly leave: readonly string[];
}
