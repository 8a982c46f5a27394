import type { CliCommand } from '../command-line/cli-command.ts';
import type { RunOptions } from '../opening/run-options.ts';

type StoredOptions = Pick<RunOptions, 'store' | 'sign'>;

/** Changes the title of a conversation. */
export const rename: CliCommand = (parent, io) => {
  parent
    .command('rename')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .argument('<title...>', 'the new title')
    .description('Change the title of a conversation.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--sign', 'sign the new event with the key that `varve key` created')
    .action(async (id: string, title: readonly string[], options: StoredOptions) => {
      const { withStored } = await import('../print/with-stored.ts');
      await withStored(id, options, io, async (conversation) => conversation.rename(title.join(' ')));
    });
};
