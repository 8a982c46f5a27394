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

/** Copies a conversation within its store. */
export const fork: CliCommand = (parent, io) => {
  parent
    .command('fork')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .description('Start a new conversation with the events of another one, and print its id.')
    .option('--at <event>', 'id of the last event to copy')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--sign', 'sign the new events with the key that `varve key` created')
    .action(async (id: string, { at, ...options }: StoredOptions & { readonly at?: string }) => {
      const { withStored } = await import('../print/with-stored.ts');
      await withStored(id, options, io, async (conversation) => {
        await using copy = await conversation.fork(at === undefined ? {} : { at });
        io.stdout.line(copy.id);
      });
    });
};
