import type { CliCommand } from '../command-line/cli-command.ts';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { openConfiguredStore, storeUrl } from '../home/open-configured-store.ts';

/** Creates or migrates the tables of a store, for a server whose role may only append. */
export const migrate: CliCommand = (parent, io) => {
  parent
    .command('migrate')
    .description('Create the tables of a store, or bring them to the version of this command.')
    .option('--store <url>', 'the store, for instance postgres://OWNER@HOST/DATABASE')
    .option('--role <name>', 'a role of the database that may append to the tables then')
    .action(async ({ store: url, role }: { readonly store?: string; readonly role?: string }) => {
      if (role !== undefined && !/^postgres(ql)?:/.test(await storeUrl(io, url))) {
        throw new CliError(exitCodes.usage, `The role ${role} is for a store in PostgreSQL.`, 'Check --store.');
      }
      const store = await openConfiguredStore(io, url, role);
      await store[Symbol.asyncDispose]();
    });
};
