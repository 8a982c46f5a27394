import type { ShellSession } from './session/shell-session.ts';
import type { ReportInput } from './terminal-report.ts';

/** Input of one terminal call. */
export interface ShellCall {
  readonly command: string;
  readonly is_input: boolean;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly reset: boolean;
}

/** What a report contains next to the output. */
export interface ReportContext {
  /** Text that precedes the output. */
  readonly prefix?: string;
  /** Key that the call sent. */
  readonly sent?: string;
  /** Number of shells that did not start the command. */
  readonly replacements?: number;
}

/** Returns the fields of a report that do not depend on the end of the command. Takes the output of the session. */
export function reportInput(
  session: ShellSession,
  call: ShellCall,
  { prefix }: ReportContext,
): Omit<ReportInput, 'suffix'> {
  const command = call.reset ? `[RESET] ${call.command}` : call.command;
  return { command, output: session.take(), shell: session, ...(prefix !== undefined && { prefix }) };
}

/** A literal of Python or JSON: some models pass a list of arguments. `[[ -f x ]]` and `{ ls; }` are shell syntax. */
const literal = /^(?:\[\{|\["|\['|\[\[\S|\{"|\{')/;

/** Returns the reason why a call is refused; undefined if it can be executed. */
export function invalidReason({ command, is_input, reset }: ShellCall): string | undefined {
  if (reset && is_input)
    return 'reset and is_input cannot be combined: a fresh shell runs no program that could take input.';
  if (command.includes('\0')) return 'The command contains a null character, which no shell can run.';
  if (is_input || !literal.test(command.trimStart())) return undefined;
  return 'The command looks like a list or an object in JSON or Python, not like a shell command. Pass the command line itself as a string.';
}
