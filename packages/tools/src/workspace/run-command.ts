import type { ProgramSandbox } from '../processes/program-sandbox.ts';
import { streamCommand } from '../processes/stream-command.ts';
import { cappedOutput } from './capped-output.ts';
import { defaultTimeoutMs, maxOutputBytes } from './limits.ts';
import type { CommandOptions, CommandResult } from './workspace.ts';

/** Options of {@link runCommand}. */
export interface RunCommandOptions extends Omit<CommandOptions, 'directory'> {
  /** Standard input; default none. A command that does not read it is not an error. */
  readonly input?: string;
  /** Variables in addition to the public ones of this process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Walls around the command. Default: none. */
  readonly sandbox?: ProgramSandbox;
}

/**
 * Runs a command like {@link streamCommand} and returns its output, of which both ends are kept.
 *
 * @throws {ToolError} `unusable` when the shell or the directory does not exist, `aborted`.
 */
export async function runCommand(
  command: string,
  directory: string,
  { timeoutMs = defaultTimeoutMs, ...rest }: RunCommandOptions = {},
): Promise<CommandResult> {
  const collected = { stdout: cappedOutput(maxOutputBytes), stderr: cappedOutput(maxOutputBytes) };
  const end = await streamCommand(command, directory, {
    ...rest,
    timeoutMs,
    onOutput(stream, bytes) {
      collected[stream].push(bytes);
      return undefined;
    },
  });
  return { ...end, stdout: collected.stdout.text(), stderr: collected.stderr.text() };
}
