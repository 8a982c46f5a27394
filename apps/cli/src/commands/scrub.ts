import { text } from 'node:stream/consumers';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { eventCount } from '../conversations/formats.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { scrubVarveHome } from '../home/scrub-varve-home.ts';
import { readSigningKey } from '../home/signing-key.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Masks secrets in everything that a store holds. */
export const scrub: CliCommand = (parent, io, done) => {
  parent
    .command('scrub')
    .argument('[names...]', 'stored secrets (`varve secret`); default: the lines of standard input')
    .description('Mask secrets in all conversations of a store. Signed statements in the logs record what was masked.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .action(async (names: readonly string[], { store: url }: { readonly store?: string }) => {
      const secrets = names.length === 0 ? await typedSecrets(io) : await storedSecrets(names, io);
      const signer = await readSigningKey(io);
      await using store = await openExistingStore(io, url);
      const { scrub: scrubStore } = await import('@varve/storage/maintenance');
      const { scrubbed, held, failed, quarantined } = await scrubStore(store, { secrets, signer });
      const conversations = new Set(scrubbed.map(({ conversation }) => conversation)).size;
      const files = await scrubVarveHome(io, secrets);
      const further = quarantined > 0 ? `, and ${quarantined} texts in quarantine` : '';
      io.stderr.line(
        `Masked ${eventCount(scrubbed.length)} in ${conversations === 1 ? '1 conversation' : `${conversations} conversations`}${further}.`,
      );
      if (files > 0)
        io.stderr.line(
          `Masked ${files === 1 ? '1 file' : `${files} files`} of inputs, long outputs, logged calls and undo histories.`,
        );
      for (const id of held) io.stderr.line(styled('yellow', `${id} was not changed: another process uses it.`));
      for (const { id, message } of failed) io.stderr.line(styled('yellow', `${id} may still contain one: ${message}`));
      io.stderr.line(
        styled('dim', 'Replace an exposed key in any case: copies, exports and backups still contain it.'),
      );
      done(held.length + failed.length > 0 ? exitCodes.storage : exitCodes.ok);
    });
};

async function storedSecrets(names: readonly string[], io: TerminalIo): Promise<readonly string[]> {
  const { secretsOf } = await import('../home/secrets.ts');
  const store = secretsOf(io);
  const values: string[] = [];
  for (const name of names) {
    const value = await store.value(name);
    if (value === undefined)
      throw new CliError(exitCodes.missing, `There is no secret ${name}.`, '`varve secret list` prints the names.');
    values.push(value);
  }
  return values;
}

/** A value in an argument would be in the process list and in the history of the shell. */
async function typedSecrets(io: TerminalIo): Promise<readonly string[]> {
  const typed = io.stdin.isTTY ? await io.askHidden('Secret to mask: ') : await text(io.stdin);
  const secrets = (typed ?? '').split(/\r?\n/).filter((line) => line !== '');
  if (secrets.length > 0) return secrets;
  throw new CliError(exitCodes.usage, 'There is no secret to mask.');
}
