import type { CliCommand } from '../command-line/cli-command.ts';
import type { InitOptions } from '../configure/init-questions.ts';

/** Asks for a model, and writes a model profile. */
export const init: CliCommand = (parent, io) => {
  parent
    .command('init')
    .description('Choose a model in three questions, and call it once. Answers may be piped in, one per line.')
    .option('--provider <name>', 'provider, or the address of any server; not asked then')
    .option('--key-env <variable>', 'the variable that contains the key; not asked then')
    .option('-m, --model <name>', 'name of the model there; not asked then')
    .option('--offline', 'neither list the models of the server nor call one')
    .action(async (options: InitOptions) => {
      const { initialise } = await import('../configure/init-actions.ts');
      await initialise(options, io);
    });
};
