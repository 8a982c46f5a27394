import type { Command } from 'commander';
import type { CliCommand } from '../command-line/cli-command.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { defaultCommand } from './default-command.ts';

interface TargetOptions {
  readonly project?: true;
}

// Loaded by the subcommands, so that the help appears faster.
const load = async () => import('../configure/config-actions.ts');

/** Lists and changes settings. */
export const config: CliCommand = (parent, io, done) => {
  const command = parent.command('config').description('List settings with the place of each, and change them.');
  defaultCommand(command, 'list')
    .description('list all settings with a value and the place of each (default)')
    .option('--json', 'print one JSON object per setting')
    .option('--all', 'also defaults')
    .action(async (options: { readonly json?: true; readonly all?: true }) => (await load()).listSettings(options, io));
  command
    .command('get')
    .argument('<key>')
    .description('print the value of one setting')
    .action(async (key: string) => done(await (await load()).printSetting(key, io)));
  command
    .command('set')
    .argument('<key>')
    .argument('<value>', 'as in a variable: text, a number, true, JSON, or a list with commas')
    .option('--project', 'in the file of the project')
    .description('change a setting in your file')
    .action(async (key: string, value: string, options: TargetOptions) =>
      (await load()).setSetting(key, value, { ...options, io }),
    );
  command
    .command('unset')
    .argument('<key>')
    .option('--project', 'in the file of the project')
    .description('remove a setting from your file')
    .action(async (key: string, options: TargetOptions) =>
      (await load()).setSetting(key, undefined, { ...options, io }),
    );
  addFileCommands(command, io);
};

/** Adds the commands about the files of the settings. */
function addFileCommands(command: Command, io: TerminalIo): void {
  command
    .command('edit')
    .option('--project', 'the file of the project')
    .description('open your file in $VISUAL or $EDITOR; it is replaced only if the result is valid')
    .action(async (options: TargetOptions) => (await import('../configure/edit-file.ts')).editFile({ ...options, io }));
  command
    .command('path')
    .option('--project', 'the file of the project')
    .description('print the path of your file')
    .action(async (options: TargetOptions) => {
      io.stdout.line((await (await load()).targetFile({ ...options, io })).path);
    });
  command
    .command('context')
    .option('-w, --workspace <dir>', 'directory of the agent (default: current directory)')
    .description('show which files give instructions, skills, hooks and servers to a new conversation')
    .action(async ({ workspace }: { readonly workspace?: string }) =>
      (await import('../configure/show-extensions.ts')).showExtensions(workspace, io),
    );
  command
    .command('schema')
    .description('print the JSON Schema of the file')
    .action(async () => {
      const { settingsJsonSchema } = await import('@varve/settings');
      io.stdout.json(settingsJsonSchema());
    });
}
