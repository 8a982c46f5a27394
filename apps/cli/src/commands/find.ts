import type { CliCommand } from '../command-line/cli-command.ts';
import type { FindOptions } from '../conversations/find-events.ts';
import { positiveInteger } from './option-values.ts';

/** Finds events in all conversations. */
export const find: CliCommand = (parent, io) => {
  parent
    .command('find')
    .argument('[text]', 'text in messages, calls and results; letters of any case')
    .description('Find events in all conversations, those of the most recently updated ones first.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--tool <name>', 'calls and results of this tool')
    .option('--path <path>', 'calls, results and changes of the file with this path, or this end of it')
    .option('--error', 'failed calls and commands, and errors')
    .option('-w, --workspace <dir>', 'in conversations of this directory and the ones in it')
    .option('-n, --limit <count>', 'maximum number of events', positiveInteger, 50)
    .option('--json', 'one JSON object per line')
    .action(async (text: string | undefined, options: FindOptions) => {
      // Loaded here, so that the help appears faster.
      const { findEvents } = await import('../conversations/find-events.ts');
      await findEvents(text, options, io);
    });
};
