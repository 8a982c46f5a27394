import type { ProposedCall } from '../risk/risk-analyzer.ts';
import { readTerminal } from '../shell/read-terminal.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { plainCommands, type PlainCommand } from './plain-commands.ts';

/** Commands of a call of the terminal. */
export interface ShellFacts {
  readonly source: string;
  /** All commands that are known, also inside others. */
  readonly commands: readonly ShellCommand[];
  /** False if a part of it is only known when it runs. */
  readonly isComplete: boolean;
  /** True if not all of it was read. */
  readonly isCut: boolean;
  /** Commands of a script of plain commands. */
  readonly plain: readonly PlainCommand[] | undefined;
}

/** Reads a call of the terminal. Input for a running program has no known meaning. */
export function shellFacts(
  { command, is_input: isInput }: { readonly command: string; readonly is_input: boolean },
  call: Pick<ProposedCall, 'action' | 'workspace' | 'directories' | 'reading'>,
): ShellFacts {
  const nothing = { source: command, commands: [], plain: undefined };
  if (isInput) return { ...nothing, isComplete: command === '', isCut: false };
  const reading = readTerminal(call);
  if (!reading) return { ...nothing, isComplete: false, isCut: true };
  const { commands, unknowns, isCut } = reading;
  return { source: command, commands, isComplete: unknowns.length === 0, isCut, plain: plainCommands(command) };
}
