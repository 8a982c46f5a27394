import type { CliCommand } from '../command-line/cli-command.ts';
import type { ShowOptions } from '../conversations/show-conversation.ts';
import { eventNumber } from './option-values.ts';

/** Shows one conversation: briefly, in full, as stored, as a model request, or at an earlier position. */
export const show: CliCommand = (parent, io) => {
  parent
    .command('show')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .description('Show a conversation.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--full', 'all fields of all events, uncut')
    .option('--json', 'one event per line, as stored')
    .option('--messages', 'the next model request, as JSON; with --at the one of the next reply, as it was sent')
    .option('--at <seq>', 'status, plan, cost and files after this event', eventNumber)
    .option(
      '--diff <place...>',
      'differences between two events, or from another conversation: --diff 10 20, --diff ID',
    )
    .action(async (id: string, options: ShowOptions) => {
      // Loaded here, so that the help appears faster.
      const { showConversation } = await import('../conversations/show-conversation.ts');
      await showConversation(id, options, io);
    });
};
