import { TerminalAction, TerminalObservation } from '@varve/events/payloads';
import { defineBuiltinTool } from '../define-tool.ts';
import { mutex } from '../mutex.ts';
import type { Tool } from '../tool.ts';
import { ShellCalls, type ShellCall } from './shell-calls.ts';
import { ShellHost } from './shell-host.ts';
import type { TerminalOptions } from './terminal-options.ts';

/**
 * One persistent bash in the workspace, started with the first command. State survives from call to call until a reset;
 * a command that is still running when a call returns goes on and can be read, answered and stopped. Calls run one after
 * the other. Close it: a live shell keeps this process alive.
 *
 * @throws {ToolError} `unusable` when a name in `env` is not an identifier.
 * @see software-agent-sdk openhands/tools/terminal (keys need is_input, several statements run as one script)
 */
export function terminal(options: TerminalOptions = {}): Tool<ShellCall> {
  const { noChangeTimeoutMs = 30_000, maxOutputChars = 30_000 } = options;
  const host = new ShellHost(options);
  const calls = new ShellCalls(host, noChangeTimeoutMs);
  const inTurn = mutex();
  return defineBuiltinTool({
    name: 'terminal',
    description: describe(noChangeTimeoutMs / 1000, maxOutputChars),
    input: TerminalAction,
    output: TerminalObservation,
    definitionKind: 'TerminalTool',
    annotations: {
      title: 'terminal',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    effect: 'write',
    resources: () => ['terminal:session'],
    execute: (call, context) => inTurn(() => calls.call(call, context), context.signal),
    async close() {
      await calls.close();
      await host.close();
    },
  });
}

function describe(quietSeconds: number, maxChars: number): string {
  return `Runs a command in a bash that stays alive between calls: directory, variables, functions and background jobs persist.

- One call may hold several lines; they run as one script, and the exit code is that of the last.
- Without \`timeout\`, a call returns when the command ends or writes nothing for ${quietSeconds} s. With \`timeout\`, it returns when the command ends or after that many seconds. Neither stops the command.
- While a command runs, no other can start. Send an empty \`command\` to read its new output. Set \`is_input\` to type into it: a line of text, or a key such as ENTER, TAB, ESC, UP, C-c, C-d or C-z. \`TEXT:UP\` types the word UP.
- Start servers and other long-lived programs in the background, with their output sent to a file: \`server > server.log 2>&1 &\`.
- Output longer than ${maxChars} characters loses its middle; the result then names the file that has all of it.
- \`reset\` ends the shell and starts a fresh one in the workspace. Do not use \`exit\` at the top level.`;
}
