import { type Payload, TerminalAction } from '@varve/events/payloads';
import { limits } from './words/limits.ts';
import { readShell, type ShellReading } from './read-shell.ts';

/** A call, and where its command would run: the fields of `ProposedCall` that determine its reading. */
interface TerminalCall {
  readonly action: Payload;
  readonly workspace?: string;
  readonly directories?: readonly string[];
  /** Reading of this call, if it was read already. */
  readonly reading?: ShellReading;
}

/** Returns a call with the reading of its command, if it has one: all that decide about it share the reading. */
export function withReading<Call extends TerminalCall>(call: Call): Call {
  const reading = readTerminal(call);
  return reading && reading !== call.reading ? { ...call, reading } : call;
}

/** Reads the command of a call of the terminal; undefined for other calls, for input, and if it is too long. */
export function readTerminal({ action, workspace, directories = [], reading }: TerminalCall): ShellReading | undefined {
  if (!TerminalAction.is(action) || action.is_input || action.command.length > limits.length) return undefined;
  return reading ?? readShell(action.command, workspace, directories);
}
