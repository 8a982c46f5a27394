import type { CliCommand } from '../command-line/cli-command.ts';
import type { ContextOptions } from '../conversations/show-context.ts';

/** Shows how many tokens each part of the next model request takes. */
export const context: CliCommand = (parent, io) => {
  parent
    .command('context')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .description("Show how a conversation uses the model's context window.")
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--json', 'one JSON object')
    .action(async (id: string, options: ContextOptions) => {
      // Loaded here, so that the help appears faster.
      const { showContext } = await import('../conversations/show-context.ts');
      await showContext(id, options, io);
    });
};
