import { limits } from '../risk/shell/limits.ts';
import { readShell } from '../risk/shell/read-shell.ts';
import type { ShellCommand } from '../risk/shell/shell-command.ts';
import { plainCommands, type PlainCommand } from './plain-commands.ts';

/** Commands of a call of the terminal. */
export interface ShellFacts {
  readonly source: string;
  /** All commands that are known, also inside others. */
  readonly commands: readonly ShellCommand[];
  /** False if a part of it is only known when it runs. */
  readonly isComplete: boolean;
  /** Commands of a script of plain commands. */
  readonly plain: readonly PlainCommand[] | undefined;
}

/** Reads a call of the terminal. Input for a running program has no known meaning. */
export function shellFacts(
  { command, is_input: isInput }: { readonly command: string; readonly is_input: boolean },
  workspace: string | undefined,
): ShellFacts {
  if (isInput) return { source: command, commands: [], isComplete: command === '', plain: undefined };
  if (command.length > limits.length) return { source: command, commands: [], isComplete: false, plain: undefined };
  const { commands, unknowns } = readShell(command, workspace);
  return { source: command, commands, isComplete: unknowns.length === 0, plain: plainCommands(command) };
}
