import type { Command } from 'commander';
import type { CliCommand } from '../command-line/cli-command.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { defaultCommand } from './default-command.ts';

// Loaded by the subcommands, so that the help appears faster.
const load = async () => import('../configure/profile-actions.ts');

/** Lists and changes model profiles. */
export const profile: CliCommand = (parent, io) => {
  const command = parent.command('profile').description('List model profiles, create, rename, remove and use them.');
  defaultCommand(command, 'list')
    .description('list all profiles, and the roles that use them (default)')
    .option('--json', 'print one JSON object per profile')
    .action(async (options: { readonly json?: true }) => (await load()).listProfiles(options, io));
  command
    .command('save')
    .argument('<name>')
    .argument('<field=value...>', 'such as model=ollama/qwen3 or api_key_ref=env:NAME')
    .description('create a profile, or change fields of it')
    .action(async (name: string, fields: readonly string[]) => (await load()).saveProfile(name, fields, io));
  addNamedCommands(command, io);
  command
    .command('agents')
    .description('list the agent profiles; `config set agent_profile NAME` selects one')
    .action(async () => (await import('../configure/list-agent-profiles.ts')).listAgentProfiles(io));
  command
    .command('probe')
    .argument('[name]')
    .description('ask the server of a profile what its model can do, and remember it for a week')
    .action(async (name?: string) => (await load()).probeProfile(name, io));
};

/** Adds the commands that use, rename and remove a profile. */
function addNamedCommands(command: Command, io: TerminalIo): void {
  command
    .command('use')
    .argument('<name>')
    .argument('[role]', 'agent, condenser, title, ask or subagent', 'agent')
    .description('make a profile that of a role')
    .action(async (name: string, role: string) => (await load()).useProfile(name, role, io));
  command
    .command('rename')
    .argument('<from>')
    .argument('<to>')
    .description('rename a profile, also where roles and agent profiles name it')
    .action(async (from: string, to: string) => {
      await (await load()).profilesOf(io).rename(from, to);
      io.stderr.line(styled('dim', `Renamed the profile ${from} to ${to}.`));
    });
  command
    .command('rm')
    .alias('remove')
    .argument('<name>')
    .description('remove a profile, and the roles that name it')
    .action(async (name: string) => (await load()).profilesOf(io).remove(name));
}
