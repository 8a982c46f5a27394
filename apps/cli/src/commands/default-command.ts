import type { Command } from 'commander';

/**
 * Adds the command that a group executes without a name. It takes no arguments: the first one is reported as the name
 * of a command that the group does not have, with those that it has.
 */
export function defaultCommand(group: Command, name: string): Command {
  return group
    .command(name, { isDefault: true })
    .allowExcessArguments()
    .hook('preAction', (_hooked, { args: [unknown] }) => {
      if (unknown === undefined) return;
      const names = group.commands.map((command) => command.name()).join(', ');
      group.error(`error: unknown command '${group.name()} ${unknown}' (commands: ${names})`);
    });
}
