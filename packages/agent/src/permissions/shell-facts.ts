import type { ProposedCall } from '../risk/risk-analyzer.ts';
import { readTerminal } from '../risk/shell/read-terminal.ts';
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
  call: Pick<ProposedCall, 'action' | 'workspace' | 'directories'>,
): ShellFacts {
  if (isInput) return { source: command, commands: [], isComplete: command === '', plain: undefined };
  const reading = readTerminal(call);
  if (!reading) return { source: command, commands: [], isComplete: false, plain: undefined };
  const { commands, unknowns } = reading;
  return { source: command, commands, isComplete: unknowns.length === 0, plain: plainCommands(command) };
}
