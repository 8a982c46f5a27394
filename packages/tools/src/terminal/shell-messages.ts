import type { CapturedOutput } from './output/output-buffer.ts';
import type { WaitEnd } from './session/wait-queue.ts';

/** Introduction of output that belongs to an earlier call. */
export const continuedOutput = '[Output of the running command since the last call:]';

/** Context of the messages that describe a command which is still running. */
export interface RunningState {
  /** Time that the call waited for new output. */
  readonly quietMs: number;
  /** Timeout of the call. */
  readonly seconds: number;
  /** Number of the shell; undefined for the main shell. */
  readonly shellNumber: number | undefined;
}

/** Returns the message for a call that returned before its command ended. */
export function stillRunning(end: WaitEnd, { quietMs, seconds, shellNumber }: RunningState): string {
  const why = end === 'quiet' ? `No new output for ${quietMs / 1000} s` : `The ${seconds} s of this call are over`;
  if (shellNumber === undefined)
    return `[${why}; the command is still running. An empty command waits on, is_input types text or a key into it (C-c stops it), timeout waits longer in one call.]`;
  const name = `SHELL${shellNumber}:`;
  return `[${why}; the command is still running, in shell ${shellNumber} next to the main one. With is_input, \`${name}\` waits on, \`${name}text\` types text or a key into it (\`${name}C-c\` stops it).]`;
}

/** Returns the message for a command that ended. `sent` is the key that the call sent, if any. */
export function commandEnded(sent: string | undefined, isSecondary: boolean): string {
  if (sent === undefined && isSecondary)
    return '[The command has finished. It ran in a separate shell, because another call was running; the main shell has not changed.]';
  if (sent === undefined) return '[The command has finished.]';
  if (sent === 'CTRL+Z') return '[The command was stopped by CTRL+Z and waits in the list of jobs.]';
  return `[The command has finished after ${sent} was sent.]`;
}

/** Returns the message for a shell that ended. */
export function shellEnded(exitCode: number, keepsState: boolean): string {
  return `[The shell itself ended with exit code ${exitCode}. ${nextShell(keepsState)} Do not use exit or set -e at the top level.]`;
}

/** Returns the message for a cancelled command that could only be ended by killing its shell. */
export function shellKilled(keepsState: boolean): string {
  return `[Interrupted: the call was cancelled and the command could only be ended together with its shell. ${nextShell(keepsState)}]`;
}

/** Returns the message for a shell that was killed because it did not settle after an interrupted command. */
export function shellUnsettled(keepsState: boolean): string {
  return `[The shell was killed because it did not become ready again after an interrupted command. ${nextShell(keepsState)}]`;
}

/** Returns the introduction of a command that the earlier shell did not run. */
export function shellReplaced(keepsState: boolean): string {
  const what = keepsState
    ? 'Its variables, functions and aliases are there again; traps and background jobs are gone.'
    : 'Variables, functions, aliases, traps and background jobs are gone.';
  return `[An earlier command left the shell in a state in which it runs no further commands (for example by a trap or a readonly variable). It was replaced by a new one in the same directory, which ran this command. ${what}]`;
}

/** Returns the message for the first command of a process whose shell cannot start where the last one was left. */
export function directoryGone(directory: string): string {
  return `[NOT executed: the shell of an earlier process was left in ${directory}, which is no directory now. Commands run in the directory below now.]`;
}

/** Message for a shell that was ended because its sandbox had a hole. */
export const sandboxReopened =
  '[A program outside replaced a file that the sandbox protects or hides, so the sandbox is opened again: what ran in the background has ended.]';

/** Message for a command that was approved for another directory than that of the shell. */
export const startsElsewhere =
  '[NOT executed: the command was approved for another directory than the one in which the shell is now. Send it again.]';

/** Message for a command that was sent to several shells. */
export const commandNotStarted =
  '[NOT executed: neither the shell nor its replacements started the command. Use reset for a fresh shell.]';

function nextShell(keepsState: boolean): string {
  const what = keepsState
    ? 'variables and functions of before that command are there again.'
    : 'variables and functions are gone.';
  return `The next command starts a new one in the same directory; ${what}`;
}

/** Returns the text that precedes the output of a command: output that no call has returned yet, and `end`. */
export function unreportedOutput({ text }: CapturedOutput, end: string): string {
  if (text === '') return end;
  return [
    '[Written since the last call, before this command:]',
    text,
    ...(end ? [end] : []),
    '[Output of this command:]',
  ].join('\n');
}
