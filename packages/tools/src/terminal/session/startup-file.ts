import { shellQuote } from '../../processes/shell-environment.ts';
import type { ShellBackend } from './shell-process.ts';

/** Returns the beginning of every marker: an operating system command (OSC) that no terminal uses. */
export function markerStart(nonce: string): string {
  return `\u001B]697;D;${nonce};`;
}

/** Options of {@link startupFile}. */
export interface StartupOptions {
  /** 16 hexadecimal digits. */
  readonly nonce: string;
  readonly backend: ShellBackend['name'];
  /** Path prefix of the files to which the shell writes its exports at each prompt; see {@link environmentFile}. */
  readonly environmentFiles: string;
  /** Path of a file with the exports of another shell, as bash code. */
  readonly inherit?: string;
}

/** Last line of a completely written file. */
const endMarker = '# That is all.';

/** Returns the path of the exports at the prompt with this number; two prompts later the file is overwritten. */
export function environmentFile(files: string, id: number): string {
  return `${files}${id % 2}`;
}

/** Returns true if the text of a file of exports is complete. */
export function isComplete(text: string): boolean {
  return text.endsWith(`${endMarker}\n`);
}

/**
 * Returns the bash startup file of a session. Before each prompt the shell restores a sane mode of the terminal,
 * discards input that the last program did not read, and prints a marker with the nonce, the number of the command, its
 * exit status and the directory. Prompts, echo and history are off. A signal for the last program may hit `stty`
 * instead; there are two kinds of such signals, hence three tries. Commands may have set IFS, `set -u`, `set -e`, `set
 * -x` or functions with the names of builtins. On a busy machine a read may time out although there is input; its
 * status is then above 128, unlike at the end of input.
 */
export function startupFile({ nonce, backend, environmentFiles, inherit }: StartupOptions): string {
  const pty = backend === 'pty';
  const fd = pty ? '' : '-u 3 ';
  return `${inherit === undefined ? '' : sourceInherited(inherit)}${pty ? 'stty -echo' : 'exec 2>&1 4>&1'}
set +H +o history
unset HISTFILE
PS1= PS2=
__varve_id=0
__varve_secrets=
__varve_stty=$(type -P stty)
__varve_status() { builtin return "$1"; }
__varve_keep() { builtin local status=$?; PROMPT_COMMAND=$__varve_ask; builtin return "$status"; }
__varve_prompt() {
  builtin local status=$? IFS=' ' directory="\${PWD//%/%25}" rest
  builtin unset $__varve_secrets || :
  __varve_secrets=
  PS1= PS2=
  ${saveEnvironment(environmentFiles)} || :
  directory=\${directory//$'\\a'/%07}
  directory=\${directory//$'\\e'/%1B}
  directory=\${directory//$'\\n'/%0A}
  directory=\${directory//$'\\r'/%0D}
  ${pty ? Array.from({ length: 3 }, () => '"$__varve_stty" sane -echo').join(' || ') : ':'} || :
  while builtin read -r -t 0 ${fd}; do builtin read -r -t 0.01 ${fd}rest || [ $? -gt 128 ] || break; done
  builtin printf '\\033]697;D;%s;%s;%s;%s\\007' ${nonce} "$__varve_id" "$status" "$directory" ${pty ? '>/dev/tty' : '>&4'}
}
__varve_ask='{ __varve_prompt; } >/dev/null 2>&1'
PROMPT_COMMAND=$__varve_ask
`;
}

/** Options of {@link commandLine}. */
export interface CommandLine {
  /** Number that the marker repeats. */
  readonly id: number;
  /** Path of the file with the command. */
  readonly file: string;
  /** Value of `$?` when the command starts. */
  readonly lastStatus: number;
  /** Path of a file from {@link secretsFile}; read once and removed. */
  readonly secretsFile?: string;
}

/** Returns the line that makes the shell print a marker with this number and do nothing else. `$?` is lost. */
export function probeLine(id: number): string {
  return `{ __varve_id=${id}; __varve_keep; } 2>/dev/null`;
}

/**
 * Returns the line that makes the shell run a command from a file. The command never passes through the terminal, so
 * its length, quotes and exclamation marks do not matter. `set -x` must not print the commands around it, which contain
 * secrets.
 */
export function commandLine(
  { id, file, lastStatus, secretsFile: secrets }: CommandLine,
  backend: ShellBackend['name'],
): string {
  const before = secrets === undefined ? '' : `. ${shellQuote(secrets)}; command rm -f -- ${shellQuote(secrets)}; `;
  const status = lastStatus === 0 ? '' : `{ __varve_status ${lastStatus}; } 2>/dev/null || `;
  const input = backend === 'pty' ? '' : ' <&3';
  const prepare = `{ __varve_id=${id}; ${before}__varve_command=$(<${shellQuote(file)}); } 2>/dev/null`;
  return `${prepare}; ${status}eval "$__varve_command"${input}; { __varve_keep; } 2>/dev/null`;
}

/** Returns bash code that exports variables until the next prompt. The values never pass through the terminal. */
export function secretsFile(variables: Readonly<Record<string, string>>): string {
  const names = Object.keys(variables);
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${shellQuote(value)}`);
  // Names first: a shell that is interrupted while it reads the file still unsets all of them at its next prompt.
  return `__varve_secrets=${shellQuote(names.join(' '))}\n${lines.join('\n')}\n`;
}

/** Returns bash code that loads the exports of another shell. Corrects PWD, whose directory may no longer exist. */
function sourceInherited(inherit: string): string {
  return `{ . ${shellQuote(inherit)}; builtin test "$PWD" -ef . || builtin cd -P .; } >/dev/null 2>&1\n`;
}

function saveEnvironment(files: string): string {
  const lines = `{ builtin export -p; builtin export -fp; builtin printf '%s\\n' '${endMarker}'; }`;
  // Under a small `ulimit -f` the signal XFSZ would kill the shell.
  return `builtin trap '' XFSZ; ${lines} >|${shellQuote(files)}$((__varve_id % 2)); builtin trap - XFSZ`;
}
