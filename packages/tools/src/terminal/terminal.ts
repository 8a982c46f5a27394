import { TerminalAction, TerminalObservation } from '@varve/events/payloads';
import type { OwnedTool } from '../contract/tool.ts';
import { defineBuiltinTool } from '../contract/define-tool.ts';
import { answerRefusal } from './answer-refusal.ts';
import { repairCommand } from './argument-vector.ts';
import { statementLines } from './command-text.ts';
import type { ShellCall } from './shell-call.ts';
import { ShellFactory } from './shell-factory.ts';
import { ShellPool, shellResources } from './shell-pool.ts';
import { defaultMaxShells, type TerminalOptions } from './terminal-options.ts';
import { refusalReport } from './terminal-report.ts';

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
  const {
    noChangeTimeoutMs = 30_000,
    maxOutputChars = 30_000,
    maxShells = defaultMaxShells,
    rejectMultiple = false,
  } = options;
  const factory = new ShellFactory(options);
  const pool = new ShellPool({
    factory,
    quietMs: noChangeTimeoutMs,
    maxShells,
    ...(options.sandbox && { complete: (report, call, context) => answerRefusal(report, call, context, options) }),
  });
  return defineBuiltinTool({
    ...terminalFields,
    description:
      describe(noChangeTimeoutMs / 1000, maxOutputChars, rejectMultiple ? oneStatement : oneScript) +
      (maxShells > 1 ? concurrentCommands : ''),
    annotations: {
      title: 'terminal',
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    ...(options.sandbox && { sandbox: options.sandbox.policy.profile }),
    resources: (call) => shellResources(call, maxShells),
    async execute(call, context) {
      const reason = rejectMultiple ? multipleStatementsReason(call) : undefined;
      return reason === undefined ? pool.call(call, context) : refusalReport(call.command, reason);
    },
    async close() {
      const running = await factory.runningPrograms(pool.pids);
      await pool.close();
      await factory.close();
      if (running.length > 0) options.onEndedPrograms?.(running);
    },
  });
}

const oneScript = 'One call may hold several lines; they run as one script, and the exit code is that of the last.';
const oneStatement =
  'One call holds one statement, which may go over several lines. Join several by `&&` or `;`, or send them one by one.';

function multipleStatementsReason({ command, is_input: isInput }: ShellCall): string | undefined {
  const parts = isInput ? [] : statementLines(command);
  if (parts.length < 2) return undefined;
  const list = parts.map((part, index) => `(${index + 1}) ${part}`).join('\n');
  return `The command has ${parts.length} statements on lines of their own, so nothing was run. Join them by && or ;, or send them one by one:\n${list}`;
}

const concurrentCommands = `
- Commands that are sent together may run at the same time: all but the first then have a shell of their own, which starts with the directory and variables of the main one and ends with the command. Put what builds on each other into one call.`;

function describe(quietSeconds: number, maxChars: number, statements: string): string {
  return `Runs a command in a bash that stays alive between calls: directory, variables, functions and background jobs persist.

- ${statements}
- Without \`timeout\`, a call returns when the command ends or writes nothing for ${quietSeconds} s. With \`timeout\`, it returns when the command ends or after that many seconds. Neither stops the command.
- While a command runs, no other can start. Send an empty \`command\` to read its new output. Set \`is_input\` to type into it: a line of text, or a key such as ENTER, TAB, ESC, UP, C-c, C-d or C-z. \`TEXT:UP\` types the word UP.
- Start servers and other long-lived programs in the background, with their output sent to a file: \`server > server.log 2>&1 &\`.
- Output longer than ${maxChars} characters loses its middle; the result then names the file that has all of it.
- \`reset\` ends the shell and starts a fresh one in the workspace. Do not use \`exit\` at the top level.`;
}
