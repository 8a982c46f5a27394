import { runCommandLine } from '../command-line/command-line.ts';
import { commands, defaultCommand } from './commands.ts';
import type { ExitCode } from '../failures/exit-codes.ts';
import type { Streams } from '../terminal/terminal-io.ts';

/** Runs one invocation and resolves to its exit status. Errors of the user are printed; a bug rejects. */
export async function runProgram(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return runCommandLine(args, streams, { commands, defaultCommand });
}
