import { resolve } from 'node:path';
import type { Configuration, TrustStore } from '@varve/settings/trust';
import type { CliCommand } from '../cli-command.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { varveHome } from '../setup/varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Trusts the configuration of a workspace, lists and removes trust. */
export const trust: CliCommand = {
  register(parent, io, done) {
    const command = parent
      .command('trust')
      .argument('[path]', 'workspace (default: current directory)')
      .option('--hash <hash>', 'trust without a question, if the configuration has this hash')
      .description('Show what the configuration of a workspace would run, and trust exactly that.')
      .action(async (path: string | undefined, { hash }: { readonly hash?: string }) => {
        const home = varveHome(io);
        const { readConfiguration } = await import('@varve/settings/trust');
        const configuration = await readConfiguration(resolve(io.cwd, path ?? '.'), { home });
        done(await decide(configuration, { store: await storeIn(io), hash }, io));
      });
    command
      .command('list')
      .description('List the workspaces that are trusted.')
      .action(async () => {
        for (const { workspace, hash, at } of await (await storeIn(io)).list())
          io.stdout.line(`${hash.slice(0, shownDigits)}  ${at.slice(0, 10)}  ${workspace}`);
        done(exitCodes.ok);
      });
    command
      .command('rm')
      .alias('remove')
      .argument('[path]', 'workspace (default: current directory)')
      .description('Stop trusting a workspace.')
      .action(async (path: string | undefined) => {
        const workspace = resolve(io.cwd, path ?? '.');
        if (!(await (await storeIn(io)).remove(workspace)))
          throw new CliError(exitCodes.missing, `${workspace} is not trusted.`, '`varve trust list` prints what is.');
        done(exitCodes.ok);
      });
  },
};

/** Loaded here, so that the help appears faster. */
async function storeIn(io: TerminalIo): Promise<TrustStore> {
  const { trustStore } = await import('@varve/settings/trust');
  return trustStore({ home: varveHome(io) });
}

const shownDigits = 16;

/** Shows the configuration, or what has changed in it, and asks. */
async function decide(
  configuration: Configuration,
  { store, hash }: { readonly store: TrustStore; readonly hash: string | undefined },
  io: TerminalIo,
): Promise<ExitCode> {
  const { workspace, files } = configuration;
  const { describeChange } = await import('@varve/settings/trust');
  const status = await store.status(configuration);
  if (status === 'none' || status === 'trusted') {
    const what = status === 'none' ? 'has no configuration that needs trust' : 'is trusted as it is';
    io.stderr.line(styled('dim', `${workspace} ${what}.`));
    return exitCodes.ok;
  }
  const before = status === 'changed' ? (await store.find(workspace))?.files : undefined;
  const title = before ? 'changed since you trusted it' : 'is not trusted';
  io.stderr.text(styled('yellow', `The configuration of ${workspace} ${title}:`));
  for (const line of describeChange(files, before).split('\n')) if (line !== '') io.stderr.text(`│ ${line}`);
  if (!(await isApproved(configuration, hash, io))) return exitCodes.waiting;
  await store.add(configuration);
  io.stderr.line(
    styled('dim', `Trusted exactly this content (${files.length === 1 ? '1 file' : `${files.length} files`}).`),
  );
  return exitCodes.ok;
}

async function isApproved(
  { workspace, hash }: Configuration,
  wanted: string | undefined,
  io: TerminalIo,
): Promise<boolean> {
  if (wanted !== undefined) {
    if (/^[0-9a-f]{16,64}$/.test(wanted) && hash.startsWith(wanted)) return true;
    throw new CliError(exitCodes.usage, `The configuration of ${workspace} has another hash than ${wanted}.`);
  }
  if (!io.stdin.isTTY || !io.stderr.isTTY) {
    io.stderr.line(`Trust it with: varve trust --hash ${hash.slice(0, shownDigits)}`);
    return false;
  }
  io.stderr.text('Hooks and scripts in it run with your rights.');
  const answer = await io.ask('Trust exactly this content? [y/N] ', new AbortController().signal);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}
