import { Argument } from 'commander';
import type { CliCommand } from '../command-line/cli-command.ts';
import { createSigningKey, readSigningKey, signingKeyFile } from '../home/signing-key.ts';
import { styled } from '../terminal/output.ts';

/** Creates or shows the key that signs logs. */
export const key: CliCommand = (parent, io) => {
  parent
    .command('key')
    .addArgument(
      new Argument('[action]', 'create a signing key, or show the public key of the existing one')
        .choices(['create', 'show'])
        .default('create'),
    )
    .description('Create the key of `run --sign`; prints its public key for `verify --trust`.')
    .action(async (action: 'create' | 'show') => {
      const signer = action === 'show' ? await readSigningKey(io) : await createSigningKey(io);
      if (action === 'create') io.stderr.line(styled('dim', `Created ${await signingKeyFile(io)}.`));
      io.stdout.line(signer.did);
    });
};
