import { shellWord } from '@varve/text';
import { pipeStreams } from './startup-file.ts';
import type { ShellBackend } from './shell-process.ts';

/** Options of {@link commandLine}. */
export interface CommandLine {
  /** Number that the marker repeats. */
  readonly id: number;
  /** Path of the file with the command and `commandEnd`. */
  readonly file: string;
  /** Value of `$?` when the command starts. */
  readonly lastStatus: number;
  /** Path of a file from `secretsFile`; read once and emptied. */
  readonly secretsFile?: string;
}

/**
 * Returns the line that makes the shell print a marker with this number and do nothing else. `$?` is lost.
 */
export function probeLine(id: number): string {
  return `\\__varve_probe ${id} >/dev/null 2>&1`;
}

/**
 * Returns the line that makes the shell run a command from a file. The command never passes through the terminal, so
 * its length, quotes and exclamation marks do not matter. `set -x` must not print the commands around it, which contain
 * secrets. The standard streams are opened for each command, so that `exec` with redirections ends with its command.
 *
 * The line starts with a plain word without aliases: after unbalanced quotes in `eval`, bash 5.2 recognises neither
 * reserved words nor assignments at the start of the next line.
 */
export function commandLine(
  { id, file, lastStatus, secretsFile: secrets = '' }: CommandLine,
  backend: ShellBackend['name'],
): string {
  const { input, output } = pipeStreams;
  const streams = backend === 'pty' ? '<"$__varve_tty" >"$__varve_tty" 2>&1' : `<&${input} >&${output} 2>&${output}`;
  const load = `\\__varve_load ${id} ${lastStatus} ${shellWord(file)} ${shellWord(secrets)} >/dev/null 2>&1`;
  const run = `\\eval "$__varve_command" ${streams}`;
  return `${load} ${lastStatus === 0 ? '&&' : '||'} ${run}; { \\__varve_end "$?"; } >/dev/null 2>&1`;
}
