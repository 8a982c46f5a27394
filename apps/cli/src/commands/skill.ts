import type { CliCommand } from '../command-line/cli-command.ts';
import type { InstallOptions, PackageKind } from '../configure/package-actions.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { defaultCommand } from './default-command.ts';

// Loaded by the subcommands, so that the help appears faster.
const load = async () => import('../configure/package-actions.ts');

/** Lists, installs and removes skills. */
export const skill: CliCommand = packageCommand('skill', 'skills');

/** Lists, installs and removes plugins, whose skills the agents of the user have. */
export const plugin: CliCommand = packageCommand('plugin', 'plugins');

function packageCommand(noun: 'skill' | 'plugin', kind: PackageKind): CliCommand {
  return {
    register(parent, io, done) {
      const group = parent.command(noun).description(`Installed ${kind} of your agents.`);
      defaultCommand(group, 'list')
        .description(`List the installed ${kind}.`)
        .action(async () => {
          await (await load()).listPackages(kind, io);
          done(exitCodes.ok);
        });
      group
        .command('install')
        .argument('<source>', 'a directory, an archive, or a repository: https://…, github:OWNER/NAME, git@HOST:PATH')
        .description(`Install a ${noun}. Nothing of it is executed.`)
        .option('--ref <name>', 'branch, tag or commit of a repository')
        .option('--path <directory>', 'its directory in the source')
        .option('--force', 'replace an installed one of the same name')
        .action(async (source: string, options: InstallOptions) => {
          await (await load()).installPackage(kind, source, options, io);
          done(exitCodes.ok);
        });
      group
        .command('rm')
        .alias('remove')
        .argument('<name>')
        .description(`Remove an installed ${noun}.`)
        .action(async (name: string) => {
          await (await load()).removePackage(kind, name, io);
          done(exitCodes.ok);
        });
    },
  };
}
