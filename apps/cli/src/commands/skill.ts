import type { CliCommand } from '../command-line/cli-command.ts';
import type { InstallOptions, PackageKind } from '../configure/package-actions.ts';
import { defaultCommand } from './default-command.ts';

// Loaded by the subcommands, so that the help appears faster.
const load = async () => import('../configure/package-actions.ts');

/** Lists, installs and removes skills. */
export const skill: CliCommand = packageCommand('skill', 'skills');

/** Lists, installs and removes plugins, whose skills the agents of the user have. */
export const plugin: CliCommand = packageCommand('plugin', 'plugins');

function packageCommand(noun: 'skill' | 'plugin', kind: PackageKind): CliCommand {
  return (parent, io) => {
    const group = parent.command(noun).description(`Installed ${kind} of your agents.`);
    defaultCommand(group, 'list')
      .description(`List the installed ${kind}.`)
      .action(async () => (await load()).listPackages(kind, io));
    group
      .command('install')
      .argument('<source>', 'a directory, an archive, or a repository: https://…, github:OWNER/NAME, git@HOST:PATH')
      .description(`Install a ${noun}. Nothing of it is executed.`)
      .option('--ref <name>', 'branch, tag or commit of a repository')
      .option('--path <directory>', 'its directory in the source')
      .option('--force', 'replace an installed one of the same name')
      .action(async (source: string, options: InstallOptions) =>
        (await load()).installPackage(kind, source, options, io),
      );
    group
      .command('rm')
      .alias('remove')
      .argument('<name>')
      .description(`Remove an installed ${noun}.`)
      .action(async (name: string) => (await load()).removePackage(kind, name, io));
  };
}
