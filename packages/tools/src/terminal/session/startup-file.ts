import { shellQuote } from '../../processes/shell-environment.ts';
import type { ShellBackend } from './shell-process.ts';

/** The beginning of every marker: an operating system command that no terminal knows. */
export function markerStart(nonce: string): string {
  return `\u001B]697;D;${nonce};`;
}

/** What the startup file of a session depends on. */
export interface StartupOptions {
  /** 16 hexadecimal digits. */
  readonly nonce: string;
  readonly backend: ShellBackend['name'];
  /** Where the shell writes down what it exports, at each prompt; see {@link environmentFile}. */
  readonly environmentFiles: string;
  /** A file that exports what another shell exported. */
  readonly inherit?: string;
}

/** The last line of a file that is whole. */
const whole = '# That is all.';

/** The file that has what the shell exported when it printed the prompt with this number; two prompts later it is written anew. */
export function environmentFile(files: string, id: number): string {
  return `${files}${id % 2}`;
}

/** Whether a file of exported variables was read to its end. */
export function isComplete(text: string): boolean {
  return text.endsWith(`${whole}\n`);
}

/**
 * The bash startup file of a session. Before each prompt the shell restores a sane mode of the terminal, throws away input
 * that the last program did not read, and prints a marker with our nonce, the number of the command, its exit status and
 * the directory. Prompts, echo and history are off. A signal for the last program may hit `stty` instead; there are two
 * kinds of them, hence three tries. Commands may have set IFS, `set -u`,
 * `set -e`, `set -x` or functions with the names of builtins; on a busy machine a read may run out of time
 * although there is something to read, which its status above 128 tells from the end of input.
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

/** What the line that runs a command needs to know. */
export interface CommandLine {
  /** Comes back in the marker. */
  readonly id: number;
  /** The file that holds the command. */
  readonly file: string;
  /** What `$?` is when the command starts. */
  readonly lastStatus: number;
  /** A file from {@link secretsFile}; read once and removed. */
  readonly secretsFile?: string;
}

/** The line that makes the shell do nothing but print a marker with this number. `$?` is lost. */
export function probeLine(id: number): string {
  return `{ __varve_id=${id}; __varve_keep; } 2>/dev/null`;
}

/**
 * The line that makes the shell run a command from a file. The command never passes through the terminal, so its
 * length, its quotes and its exclamation marks do not matter. With `set -x`, what is around the command must not show: it has
 * the values of secrets.
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

/** What puts variables into the environment until the next prompt. The values never pass through the terminal. */
export function secretsFile(variables: Readonly<Record<string, string>>): string {
  const names = Object.keys(variables);
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${shellQuote(value)}`);
  // The names first: a shell that is interrupted while it reads this forgets all of them at its prompt.
  return `__varve_secrets=${shellQuote(names.join(' '))}\n${lines.join('\n')}\n`;
}

/** The directory of the other shell may be gone, so that this one is elsewhere. */
function sourceInherited(inherit: string): string {
  return `{ . ${shellQuote(inherit)}; builtin test "$PWD" -ef . || builtin cd -P .; } >/dev/null 2>&1\n`;
}

function saveEnvironment(files: string): string {
  const lines = `{ builtin export -p; builtin export -fp; builtin printf '%s\\n' '${whole}'; }`;
  // Under a small `ulimit -f` the shell would be killed for it.
  return `builtin trap '' XFSZ; ${lines} >|${shellQuote(files)}$((__varve_id % 2)); builtin trap - XFSZ`;
}
