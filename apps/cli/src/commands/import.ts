import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { importBundle } from '@varve/storage/maintenance';
import { CliError } from '../cli-error.ts';
import type { CliCommand } from '../cli-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { openConfiguredStore } from '../setup/open-configured-store.ts';
import { styled } from '../terminal/output.ts';

/** Imports a conversation that `export` wrote, after verifying it. */
export const importCommand: CliCommand = {
  register(parent, io, done) {
    parent
      .command('import')
      .argument('<file>', 'file written by `export`')
      .description('Import an exported conversation under its original id after verifying it.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .action(async (file: string, { store: url }: { readonly store?: string }) => {
        await access(file, constants.R_OK).catch((error: unknown) => {
          throw new CliError(exitCodes.usage, `${file} cannot be read: ${String(error)}`);
        });
        await using store = await openConfiguredStore(io, url);
        const verdict = await importBundle(createReadStream(file), store);
        if (verdict) io.stderr.line(styled('dim', `${verdict.head} events, ${verdict.sealed} of them sealed`));
        if (verdict) io.stdout.line(verdict.conversation);
        done(exitCodes.ok);
      });
  },
};
