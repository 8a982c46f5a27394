import { TerminalAction } from '@varve/events/payloads';
import type { ProposedCall } from '../risk/risk-analyzer.ts';
import { limits } from './words/limits.ts';
import { readShell, type ShellReading } from './read-shell.ts';

type Command = Pick<ProposedCall, 'action' | 'workspace' | 'directories'>;

interface Known extends Command {
  readonly reading: ShellReading;
}

/** The last reading: the analyzer, the rules and the protection of files read the same call one after another. */
let last: Known | undefined;

/** Reads the command of a call of the terminal; undefined for other calls, for input, and if it is too long. */
export function readTerminal({ action, workspace, directories = [] }: Command): ShellReading | undefined {
  if (!TerminalAction.is(action) || action.is_input || action.command.length > limits.length) return undefined;
  if (last?.action === action && last.workspace === workspace && isSame(last.directories, directories))
    return last.reading;
  const reading = readShell(action.command, workspace, directories);
  last = { action, directories, reading, ...(workspace !== undefined && { workspace }) };
  return reading;
}

function isSame(a: readonly string[] = [], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}
