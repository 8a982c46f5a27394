import type { CliCommand } from '../command-line/cli-command.ts';
import type { CondenseFlags } from '../print/condense-stored.ts';

/** Shortens what the model sees of a conversation. */
export const condense: CliCommand = (parent, io) => {
  parent
    .command('condense')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .argument('[focus...]', 'what a summary should preserve above all')
    .description('Shorten what the model sees of a conversation; its log keeps everything.')
    .option('-m, --model <name>', 'the model (default: that of the conversation)')
    .option('--base-url <url>', 'any server with the OpenAI chat protocol')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--sign', 'sign the new events with the key that `varve key` created')
    .action(async (id: string, focus: readonly string[], flags: CondenseFlags) => {
      // Loaded here, so that the help appears faster.
      const { condenseStored } = await import('../print/condense-stored.ts');
      await condenseStored(id, { ...flags, focus: focus.join(' ') }, io);
    });
};
