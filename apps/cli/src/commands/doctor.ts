import type { CliCommand } from '../command-line/cli-command.ts';

/** Checks what varve needs on this machine. */
export const doctor: CliCommand = (parent, io, done) => {
  parent
    .command('doctor')
    .description('Check Node, the store, the sandbox, the model and the terminal.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .action(async (options: { readonly store?: string }) => {
      // Loaded here, so that the help appears faster.
      const { diagnose } = await import('../configure/diagnose.ts');
      done(await diagnose(options, io));
    });
};
