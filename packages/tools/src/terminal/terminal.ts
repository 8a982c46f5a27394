import { TerminalAction, TerminalObservation } from '@varve/events/payloads';
import type { OwnedTool } from '../contract/tool.ts';
import { defineBuiltinTool } from '../contract/define-tool.ts';
import { answerRefusal } from './answer-refusal.ts';
import { repairCommand } from './argument-vector.ts';
import type { ShellCall } from './shell-call.ts';
import { ShellFactory } from './shell-factory.ts';
import { ShellPool, shellResources } from './shell-pool.ts';
import { defaultMaxShells, type TerminalOptions } from './terminal-options.ts';
import type { ExecutedFiles } from './executed-files.ts';
import { withSuffix } from './terminal-report.ts';

/** Names and payloads of a terminal, wherever it runs commands. */
export const terminalFields = {
  name: 'terminal',
  aliases: ['bash', 'command', 'execute', 'execute_bash', 'run_command', 'shell'],
  input: TerminalAction,
  output: TerminalObservation,
  definitionKind: 'TerminalTool',
  effect: 'write',
  repairInput: repairCommand,
} as const;

/**
 * Returns the terminal tool: one persistent bash in the workspace, started with the first command. Its state persists
 * between calls until a reset. A command that is still running when a call returns continues and can be polled,
 * answered and stopped. A command that arrives while another call is running one gets a secondary shell; later calls
 * start from the state of the main shell only. Close the tool: a running shell keeps this process alive.
 *
 * @throws {ToolError} `unusable` when a name in `env` is not an identifier.
 * @see software-agent-sdk openhands/tools/terminal (here keys need is_input, and several statements run as one script)
 */
export function terminal(options: TerminalOptions = {}): OwnedTool<ShellCall> {
  const { noChangeTimeoutMs = 30_000, maxOutputChars = 30_000, maxShells = defaultMaxShells, onNotice } = options;
  const factory = new ShellFactory(options);
  let files: ExecutedFiles | undefined;
  const pool = new ShellPool({
    factory,
    quietMs: noChangeTimeoutMs,
    maxShells,
    async complete(report, call, context) {
      const answered = await answerRefusal(report, call, context, options);
      const changed = files?.changes();
      return changed === undefined ? answered : withSuffix(answered, `[${changed}]`);
    },
  });
  return defineBuiltinTool({
    ...terminalFields,
    description: describe(noChangeTimeoutMs / 1000, maxOutputChars) + (maxShells > 1 ? concurrentCommands : ''),
    annotations: {
      title: 'terminal',
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    ...(options.sandbox && { sandbox: options.sandbox.policy.profile }),
    resources: (call) => shellResources(call, maxShells),
    async execute(call, context) {
      // Loaded here, because the first request to the model does not need it.
      const executed = await import('./executed-files.ts');
      files ??= new executed.ExecutedFiles(context.workspace, options.sandbox?.policy);
      return pool.call(call, context);
    },
    async close() {
      const running = await factory.runningPrograms(pool.pids);
      await pool.close();
      await factory.close();
      for (const { pid, command } of running)
        onNotice?.(`Stopped a program that was still running: ${command.slice(0, 200)} (${pid})`);
      const changed = files?.allChanges();
      files = undefined;
      if (changed !== undefined) onNotice?.(changed);
    },
  });
}

const concurrentCommands = `
- Commands that are sent together may run at the same time: all but the first then have a shell of their own, which starts with the directory and variables of the main one and ends with the command. Put what builds on each other into one call.`;

function describe(quietSeconds: number, maxChars: number): string {
  return `Runs a command in a bash that stays alive between calls: directory, variables, functions and background jobs persist.

- One call may hold several lines; they run as one script, and the exit code is that of the last.
- Without \`timeout\`, a call returns when the command ends or writes nothing for ${quietSeconds} s. With \`timeout\`, it returns when the command ends or after that many seconds. Neither stops the command.
- While a command runs, no other can start. Send an empty \`command\` to read its new output. Set \`is_input\` to type into it: a line of text, or a key such as ENTER, TAB, ESC, UP, C-c, C-d or C-z. \`TEXT:UP\` types the word UP.
- Start servers and other long-lived programs in the background, with their output sent to a file: \`server > server.log 2>&1 &\`.
- Output longer than ${maxChars} characters loses its middle; the result then names the file that has all of it.
- \`reset\` ends the shell and starts a fresh one in the workspace. Do not use \`exit\` at the top level.`;
}
