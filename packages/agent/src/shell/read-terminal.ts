import { type Payload, TerminalAction } from '@varve/events/payloads';
import { limits } from './words/limits.ts';
import { readShell, type ShellReading } from './read-shell.ts';

/** A call, and where its command would run: the fields of `ProposedCall` that determine its reading. */
interface TerminalCall {
  readonly action: Payload;
  readonly workspace?: string;
  readonly directories?: readonly string[];
}

interface Known extends TerminalCall {
  readonly reading: ShellReading;
}

/** The last reading: the analyzer, the rules and the protection of files read the same call one after another. */
let last: Known | undefined;

/** Reads the command of a call of the terminal; undefined for other calls, for input, and if it is too long. */
export function readTerminal({ action, workspace, directories = [] }: TerminalCall): ShellReading | undefined {
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
