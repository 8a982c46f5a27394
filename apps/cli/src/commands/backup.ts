import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { storeUrl } from '../home/open-configured-store.ts';
import { pathIn } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';

/** Copies a store into one file. */
export const backup: CliCommand = (parent, io) => {
  parent
    .command('backup')
    .argument('<file>', 'a new file')
    .description('Copy all conversations into one file, which is a store; other processes may work on.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .action(async (file: string, options: { readonly store?: string }) => {
      const url = await storeUrl(io, options.store);
      const [scheme, path = ''] = url.split(/:(.*)/s);
      if (scheme !== 'sqlite') {
        const hint =
          'Files of a dir: store can be copied as they are; `varve cp` copies conversations to another store.';
        throw new CliError(exitCodes.usage, `${url} is not a store in one file.`, hint);
      }
      // Loaded here, so that the help appears faster.
      const { backupSqlite } = await import('@varve/storage/sqlite');
      const to = pathIn(io, file);
      await backupSqlite({ path, to });
      io.stderr.line(styled('dim', `Copied ${url} to ${to}.`));
    });
};
