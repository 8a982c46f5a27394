import type { CliCommand } from '../command-line/cli-command.ts';

interface TrustOptions {
  readonly user?: true;
  readonly hash?: string;
}

const userOption = ['--user', 'your own hooks, skills and servers of sub-agents, in your home directory'] as const;

// Loaded by the subcommands, so that the help appears faster.
const load = async () => import('../configure/trust-actions.ts');

/** Trusts the configuration of a workspace, lists and removes trust. */
export const trust: CliCommand = (parent, io, done) => {
  const command = parent
    .command('trust')
    .enablePositionalOptions()
    .argument('[path]', 'workspace (default: current directory)')
    .option(...userOption)
    .option('--hash <hash>', 'trust without a question, if the configuration has this hash')
    .description('Show what the configuration of a workspace and its repository would run, and trust exactly that.')
    .action(async (path: string | undefined, options: TrustOptions) => {
      done(await (await load()).decideTrust({ path, ...options }, io));
    });
  command
    .command('list')
    .description('List the directories that are trusted.')
    .action(async () => (await load()).listTrust(io));
  command
    .command('rm')
    .alias('remove')
    .argument('[path]', 'workspace (default: current directory)')
    .option(...userOption)
    .description('Stop trusting a workspace and its repository.')
    .action(async (path: string | undefined, options: TrustOptions) =>
      (await load()).removeTrust({ path, ...options }, io),
    );
};
