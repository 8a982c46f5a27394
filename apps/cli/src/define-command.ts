import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { TerminalIo } from './terminal-io.ts';

/** One subcommand: a file in `commands/`, and a line in `commands.ts`. */
export interface CliCommand {
  /** Describes itself on `parent` and calls `done` with its exit status. */
  readonly register: (parent: Command, io: TerminalIo, done: (exitCode: ExitCode) => void) => void;
}
