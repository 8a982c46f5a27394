import type { CliCommand } from '../command-line/cli-command.ts';
import type { CostOptions } from '../conversations/show-cost.ts';
import { positiveInteger } from './option-values.ts';

/** Shows what used tokens and money, and what broke the cache of the prompt. */
export const cost: CliCommand = (parent, io) => {
  parent
    .command('cost')
    .argument('[id]', 'the conversation, or the first characters of its id (default: the last ones)')
    .description('Show what tokens and money were used for, and what broke the cache of the prompt.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('-w, --workspace <dir>', 'without an id: those of this directory and the ones in it')
    .option('-n, --limit <count>', 'without an id: maximum number of conversations', positiveInteger, 1000)
    .option('--json', 'one JSON object')
    .action(async (id: string | undefined, options: CostOptions) => {
      // Loaded here, so that the help appears faster.
      const { showCost } = await import('../conversations/show-cost.ts');
      await showCost(id, options, io);
    });
};
