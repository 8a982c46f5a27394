import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { importBundle } from '@varve/storage/maintenance';
import { CliError } from '../cli-error.ts';
import type { CliCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { storeFrom } from '../store-from.ts';
import { styled } from '../terminal-io.ts';

/** Takes in a conversation that `export` wrote, after checking that it is whole and unchanged. */
export const importCommand: CliCommand = {
  register(parent, io, done) {
    parent
      .command('import')
      .argument('<file>', 'what `export` wrote')
      .description('Take in an exported conversation, under its own id, if it is whole and unchanged.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .action(async (file: string, { store: url }: { readonly store?: string }) => {
        await access(file, constants.R_OK).catch((error: unknown) => {
          throw new CliError(exitCodes.usage, `${file} cannot be read: ${String(error)}`);
        });
        await using store = await storeFrom(io, url);
        const verdict = await importBundle(createReadStream(file), store);
        if (verdict) io.stderr.write(styled(io, 'dim', `${verdict.head} events, ${verdict.sealed} of them sealed\n`));
        if (verdict) io.stdout.write(`${verdict.conversation}\n`);
        done(exitCodes.ok);
      });
  },
};
