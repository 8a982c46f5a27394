import { addAgentOptions } from './agent-options.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import type { McpServerOptions } from '../tasks/serve-client.ts';

/** Offers the agent as tools to any client of the model context protocol. */
export const mcpServer: CliCommand = (parent, io) => {
  const command = parent
    .command('mcp-server')
    .description('Offer the agent as tools to a client of the model context protocol, on standard input and output.');
  addAgentOptions(command, {
    workspace: 'directory of tasks that name none (default: current directory)',
  })
    .option('--no-approvals', 'the client cannot decide about calls that wait: a person does, with varve run --resume')
    .action(async (options: McpServerOptions) => {
      // Loaded here, so that other commands start faster.
      const { serveClient } = await import('../tasks/serve-client.ts');
      await serveClient(options, io);
    });
};
