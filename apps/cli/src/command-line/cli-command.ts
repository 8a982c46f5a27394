import type { Command } from 'commander';
import type { ExitCode } from '../failures/exit-codes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/**
 * One subcommand: a file in `commands/`, and a line in `commands.ts`. Registers it on `parent`; its action calls `done`
 * with an exit status other than `ok`.
 */
export type CliCommand = (
  parent: Command,
  io: TerminalIo,
  done: (exitCode: ExitCode) => void,
  commands: Commands,
) => void;

/** Commands by name, in the order of the help. */
export type Commands = Readonly<Record<string, () => Promise<CliCommand>>>;
