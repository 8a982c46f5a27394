import type { Command } from 'commander';
import type { CliCommand } from '../command-line/cli-command.ts';
import type { McpAddOptions } from '../configure/mcp-actions.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { defaultCommand } from './default-command.ts';
import { collected } from './option-values.ts';

// Loaded by the subcommands, so that the help appears faster.
const load = async () => import('../configure/mcp-actions.ts');
const loadTest = async () => import('../configure/mcp-test.ts');
const loadLogin = async () => import('../configure/mcp-login.ts');

/** Lists, adds, tests, logs in at and removes servers of the model context protocol. */
export const mcp: CliCommand = (parent, io, done) => {
  const group = parent.command('mcp').enablePositionalOptions().description('Servers of tools (MCP) of your agents.');
  defaultCommand(group, 'list')
    .description('List the servers of the settings.')
    .action(async () => (await load()).listServers(io));
  addAdding(group, io);
  group
    .command('test')
    .argument('<name>', 'the server')
    .description('Start a server as a run does, in its sandbox, and list its tools.')
    .action(async (name: string) => done(await (await loadTest()).testServer(name, io)));
  addLogins(group, io);
  group
    .command('rm')
    .alias('remove')
    .argument('<name>', 'the server')
    .description('Remove a server.')
    .option('--project', 'from the settings of the project instead of yours')
    .action(async (name: string, options: Pick<McpAddOptions, 'project'>) =>
      (await load()).removeServer(name, options, io),
    );
};

/** Adds the command that adds a server. */
function addAdding(group: Command, io: TerminalIo): void {
  group
    .command('add')
    .passThroughOptions()
    .argument('<name>', 'name of the server, the start of the names of its tools')
    .argument('<command...>', 'the program with its arguments, after -- if you like, or an address: https://…')
    .description('Add a server.')
    .option('--env <name=value>', 'a variable of the program; may be repeated', collected)
    .option('--header <name=value>', 'a header of requests to an address; may be repeated', collected)
    .option('--project', 'in the settings of the project instead of yours')
    .option('--client-id <id>', 'the client that is registered for logins at an address')
    .action(async (name: string, words: readonly string[], _options: McpAddOptions, command: Command) => {
      // Options may follow the name as well.
      const { operands, unknown } = command.parseOptions([...words]);
      await (await load()).addServer(name, [...unknown, ...operands], command.opts<McpAddOptions>(), io);
    });
}

/** Adds the commands that log in at servers and out of them. */
function addLogins(group: Command, io: TerminalIo): void {
  group
    .command('login')
    .argument('<name>', 'a server with an address')
    .description('Log in at a server with OAuth, in your browser.')
    .action(async (name: string) => (await loadLogin()).logInToServer(name, io));
  group
    .command('logout')
    .argument('<name>', 'the server')
    .description('Remove the stored login at a server.')
    .action(async (name: string) => (await loadLogin()).logOutOfServer(name, io));
}
