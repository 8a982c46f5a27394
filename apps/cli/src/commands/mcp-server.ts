import { Option } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { McpServerOptions } from '../mcp-server/serve-client.ts';

/** Offers the agent as tools to any client of the model context protocol. */
export const mcpServer: CliCommand = {
  register(parent, io, done) {
    parent
      .command('mcp-server')
      .description('Offer the agent as tools to a client of the model context protocol, on standard input and output.')
      .option('-m, --model <name>', 'the model: NAME of OpenAI, or PROVIDER/NAME (LLM_MODEL)')
      .option('--base-url <url>', 'any server with the OpenAI chat protocol (LLM_BASE_URL)')
      .option('--profile <name>', 'use this model profile (`varve profile`)')
      .option('-w, --workspace <dir>', 'directory of tasks that name none (default: current directory)')
      .option('--store <url>', 'store of the logs: sqlite:FILE, dir:PATH or memory: (VARVE_STORE)')
      .addOption(
        new Option('--confirm <policy>', 'ask: every call waits for approval; auto: risky ones; never: none').choices([
          'ask',
          'auto',
          'never',
        ]),
      )
      .addOption(
        new Option('--sandbox <profile>', 'walls around commands: workspace, read-only, off').choices([
          'workspace',
          'read-only',
          'off',
        ]),
      )
      .option(
        '--no-approvals',
        'the client cannot decide about calls that wait: a person does, with varve run --resume',
      )
      .action(async (options: McpServerOptions) => {
        // Loaded here, so that other commands start faster.
        const { serveClient } = await import('../mcp-server/serve-client.ts');
        await serveClient(options, io);
        done(exitCodes.ok);
      });
  },
};
