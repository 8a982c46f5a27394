import { Option } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { RunOptions } from '../run/run-options.ts';

/** Serves an editor as an agent of the Agent Client Protocol. */
export const acp: CliCommand = {
  register(parent, io, done) {
    parent
      .command('acp')
      .description('Serve an editor as an agent of the Agent Client Protocol, on standard input and output.')
      .option('-m, --model <name>', 'the model: NAME of OpenAI, or PROVIDER/NAME (LLM_MODEL)')
      .option('--base-url <url>', 'any server with the OpenAI chat protocol (LLM_BASE_URL)')
      .option('--profile <name>', 'use this model profile (`varve profile`)')
      .option('--store <url>', 'store of the logs: sqlite:FILE, dir:PATH or memory: (VARVE_STORE)')
      .addOption(
        new Option('--confirm <policy>', 'first mode of a session: ask, auto (default) or never').choices([
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
      .action(async (options: RunOptions) => {
        // Loaded here, so that other commands start faster.
        const { serveEditor } = await import('../acp/serve-editor.ts');
        await serveEditor(options, io);
        done(exitCodes.ok);
      });
  },
};
