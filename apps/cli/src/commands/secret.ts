import { text } from 'node:stream/consumers';
import { Argument, type Command } from 'commander';
import type { KeyPlace, SecretSource, SecretStore } from '@varve/settings/secrets';
import { commandName } from '../terminal/command-name.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { varveHome } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { defaultCommand } from './default-command.ts';

/** Shorter values are words of other texts. */
const shortestMasked = 4;

interface SetOptions {
  readonly description?: string;
  readonly url?: string;
}

/** Stores, lists and removes secrets. */
export const secret: CliCommand = (parent, io) => {
  const command = parent
    .command('secret')
    .description('Store secrets, encrypted. A command of the agent gets a secret only if it names it.');
  register(command, io);
  command
    .command('key')
    .addArgument(new Argument('<place>', 'file, or keychain of the system').choices(['file', 'keychain']))
    .description('Move the key that encrypts the secrets.')
    .action(async (place: KeyPlace) => {
      const { moveSecretKey } = await import('@varve/settings/secrets');
      await moveSecretKey(place, { home: varveHome(io) });
      io.stderr.line(styled('dim', place === 'file' ? 'The key is in a file.' : 'The key is in the keychain.'));
    });
};

function register(command: Command, io: TerminalIo): void {
  command
    .command('set')
    .argument('<name>', 'name of the secret, and of its variable in the shell')
    .option('-d, --description <text>', 'what it is for; `varve secret` prints it')
    .option('--url <address>', 'read the value from this address before each run; the input is its headers')
    .description('Store a secret. Its value is typed without an echo, or read from standard input.')
    .action(async (name: string, options: SetOptions) => {
      const source = await sourceFrom(name, options, io);
      await (await storeIn(io)).set(name, source);
      io.stderr.line(styled('dim', `Stored ${name}.`));
      if (source.kind === 'StaticSecret' && source.value.length < shortestMasked)
        io.stderr.line(styled('yellow', `Values of fewer than ${shortestMasked} characters are not masked.`));
    });
  defaultCommand(command, 'list')
    .description('List the names of the secrets.')
    .action(async () => {
      const listed = await (await storeIn(io)).list();
      for (const { name, kind, description = '' } of listed) {
        io.stdout.line(`${name}\t${kind === 'LookupSecret' ? 'lookup' : 'value'}\t${description}`);
      }
      if (listed.length === 0)
        io.stderr.line(styled('dim', `There are no secrets: \`${commandName(io)} secret set NAME\`.`));
    });
  command
    .command('rm')
    .alias('remove')
    .argument('<name>')
    .description('Remove a secret.')
    .action(async (name: string) => remove(await storeIn(io), name));
}

/** Loaded here, so that the help appears faster. */
async function storeIn(io: TerminalIo): Promise<SecretStore> {
  const { secretsOf } = await import('../home/secrets.ts');
  return secretsOf(io);
}

async function remove(store: SecretStore, name: string): Promise<void> {
  if (!(await store.remove(name)))
    throw new CliError(exitCodes.missing, `There is no secret ${name}.`, '`varve secret list` prints the names.');
}

/** A value in an argument would be in the process list and in the history of the shell. */
async function sourceFrom(name: string, { description, url }: SetOptions, io: TerminalIo): Promise<SecretSource> {
  if (url !== undefined) {
    const typed = await inputOf(io, 'Headers, such as "Authorization: Bearer …" (none: press Enter): ');
    return { kind: 'LookupSecret', url, headers: headersIn(typed ?? ''), description };
  }
  const value = await inputOf(io, `Value of ${name}: `);
  if (!value) throw new CliError(exitCodes.usage, `The value of ${name} is empty, so nothing was stored.`);
  return { kind: 'StaticSecret', value, description };
}

async function inputOf(io: TerminalIo, question: string): Promise<string | undefined> {
  if (io.stdin.isTTY) return io.askHidden(question);
  return (await text(io.stdin)).replace(/\r?\n$/, '');
}

function headersIn(typed: string): Readonly<Record<string, string>> {
  const lines = typed.split(/\r?\n/).filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const { name, value } = /^(?<name>[\w-]+):(?<value>.*)$/.exec(line.trim())?.groups ?? {};
      if (name === undefined || value === undefined)
        throw new CliError(exitCodes.usage, 'A line of the input is not a header.', 'A header is NAME: VALUE.');
      return [name, value.trim()];
    }),
  );
}
