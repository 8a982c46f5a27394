import { addAgentOptions } from './agent-options.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** Serves an editor as an agent of the Agent Client Protocol. */
export const acp: CliCommand = (parent, io) => {
  const command = parent
    .command('acp')
    .description('Serve an editor as an agent of the Agent Client Protocol, on standard input and output.');
  addAgentOptions(command, { confirm: 'first mode of a session' }).action(async (options: RunOptions) => {
    // Loaded here, so that other commands start faster.
    const { serveEditor } = await import('../editor/serve-editor.ts');
    await serveEditor(options, io);
  });
};
