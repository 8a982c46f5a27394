import { shellWord } from '@varve/text';
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
  /** Path prefix of the files to which the shell writes its state at each prompt; see {@link stateFile}. */
  readonly stateFiles: string;
  /** Path of a file with the state of another shell, as bash code. */
  readonly inherit?: string;
}

/** Descriptors of a shell on pipes: the input of its programs and its output. Commands use small numbers themselves. */
export const pipeStreams = { input: 198, output: 199 };

/** Succeeds without a word that a command can redefine, as it can `:` and `true`. */
const ok = '[[ 1 ]]';

/** Builtins without which no command runs or ends; a command may have disabled them. */
const requiredBuiltins = '. eval export local mapfile read return set shopt trap unset';

const functions = '__varve_load __varve_reset __varve_probe __varve_end __varve_prompt';

/** More lines than a terminal or a pipe holds. */
const maxReads = 65_536;

/** Lifts a limit of nested functions, which would end those of the session. Does not fail if it is readonly. */
const unnested = `[[ -z \${FUNCNEST-} ]] || builtin unset -v FUNCNEST || ${ok}`;

/**
 * Turns the line editor off, with which a shell that was started without it prints no prompt. A file that a command
 * sources may have turned it on. Only for a line that was sent: elsewhere bash would read from the terminal.
 */
const withoutEditing = '[[ ! -o vi && ! -o emacs ]] || builtin set +o vi +o emacs';

/** Last line of a completely written file. */
const endMarker = '# That is all.';

/** Returns the path of the state at the prompt with this number; two prompts later the file is overwritten. */
export function stateFile(files: string, id: number): string {
  return `${files}${id % 2}`;
}

/** Returns true if the text of a file of state is complete. */
export function isComplete(text: string): boolean {
  return text.endsWith(`${endMarker}\n`);
}

/**
 * Returns the bash startup file of a session. Echo and history are off. Before each prompt the shell restores a sane
 * mode of the terminal, discards input that the last program did not read, and prints a marker with the nonce, the
 * number of the last command that was started, its exit status and the directory. The prompt itself is a marker, too,
 * which needs no command: it is also printed when a command has redefined builtins or set a trap that skips commands.
 *
 * A signal for the last program may hit `stty` instead; there are two kinds of such signals, hence three tries.
 * Commands may have set IFS, FUNCNEST, shell options, or functions with the names of builtins, with which a loop would
 * not end; the options are off until the next command. On a busy machine a read may time out although there is input;
 * its status is then above 128, unlike at the end of input. `mapfile`, which bash 3 lacks, discards what a `read` had
 * read ahead when a signal ended it: bash keeps that text for the next `read`, also from another file, such as that of
 * a command.
 */
export function startupFile({ nonce, backend, stateFiles, inherit }: StartupOptions): string {
  const pty = backend === 'pty';
  const { input, output } = pipeStreams;
  const fd = pty ? '' : `-u ${input} `;
  return `${pty ? '' : `exec 2>&1 ${input}<&3 3<&- ${output}>&1`}
${loadFunction(nonce, pty)}
${resetFunction(nonce)}
__varve_probe() { ${unnested}; __varve_id=$1; __varve_reset; ${withoutEditing}; }
__varve_end() { ${unnested}; __varve_reset; ${withoutEditing}; builtin return "$1"; }
__varve_prompt() {
  ${unnested}
  __varve_reset
  builtin local IFS=' ' __varve_rest __varve_reads=
  builtin unset -v $__varve_secrets || builtin export -n $__varve_secrets || ${ok}
  __varve_secrets= __varve_command=
  ${saveState(stateFiles)} || ${ok}
  ${withoutAttributes('__varve_directory')}
  __varve_directory="\${DIRSTACK:-$PWD}"
  __varve_directory="\${__varve_directory//%/%25}"
  __varve_directory=\${__varve_directory//$'\\a'/%07}
  __varve_directory=\${__varve_directory//$'\\e'/%1B}
  __varve_directory=\${__varve_directory//$'\\n'/%0A}
  __varve_directory=\${__varve_directory//$'\\r'/%0D}
  ${pty ? Array.from({ length: 3 }, () => '"$__varve_stty" sane -echo').join(' || ') : ok} || ${ok}
  builtin mapfile -n 1 __varve_rest </dev/null 2>/dev/null || ${ok}
  while [[ \${#__varve_reads} -lt ${maxReads} ]] && builtin read -r -t 0 ${fd}; do
    __varve_reads+=.
    builtin read -r -t 0.01 ${fd}__varve_rest || [[ $? -gt 128 ]] || break
  done
  builtin printf '\\033]697;D;%s;%s;%s;%s\\007' ${nonce} "$__varve_id" "$1" "$__varve_directory" ${pty ? '>/dev/tty' : `>&${output}`}
}
readonly -f ${functions}
${inherit === undefined ? '' : sourceInherited(inherit)}__varve_reset
builtin set +H +o history
builtin unset HISTFILE
__varve_id=0
__varve_secrets=
__varve_command=
__varve_options=
__varve_directory=
__varve_stty=$(builtin type -P stty)
${pty ? '"$__varve_stty" -echo' : ''}
__varve_tty=${pty ? '$(builtin command tty)\n[[ -c $__varve_tty ]] || __varve_tty=/dev/tty' : ''}
`;
}

/**
 * Defines the function that prepares a command: its text is in `__varve_command` and its number set only if all of it
 * was read and the output of the shell can be opened; anything else abandons the line, by an unset variable.
 *
 * After a syntax error between `[[` and `]]`, the parser of bash 5.2 takes the next text for the rest of that
 * expression, and reports an error if it contains such words. That error ends the state, so it is made to happen here.
 */
function loadFunction(nonce: string, pty: boolean): string {
  const { input, output } = pipeStreams;
  const streams = pty ? '-c $__varve_tty' : `-e /dev/fd/${input} && -e /dev/fd/${output}`;
  return `__varve_load() {
  ${unnested}
  __varve_reset
  builtin local IFS= __varve_text=
  builtin read -r -d '' __varve_text <"$3" || ${ok}
  [[ $__varve_text == *${shellWord(commandEnd(nonce))} && ${streams} ]] || [[ \${__varve_missing?} ]]
  builtin unset -f eval || [[ \${__varve_missing?} ]]
  builtin eval '[[ 1 ]]' || ${ok}
  [[ -z $4 ]] || { builtin . "$4"; ${ok} >|"$4"; }
  ${withoutAttributes('__varve_command')}
  __varve_command=\${__varve_text%${shellWord(commandEnd(nonce))}}
  __varve_text=$__varve_options
  ${withoutAttributes('__varve_options')}
  __varve_options=
  ${withoutAttributes('__varve_id')}
  __varve_id=$1
  [[ -z $__varve_text ]] || builtin set "-$__varve_text"
  builtin return "$2"
}`;
}

/** Options of the shell that would change what the code of the session does or prints. */
const shellOptions = { a: 'allexport', e: 'errexit', k: 'keyword', u: 'nounset', v: 'verbose', x: 'xtrace' };

/**
 * Defines the function that turns shell options off for the code of the session and restores the prompts. From bash 5.1
 * on the code before a prompt is the second element of an array, which an assignment of a command does not replace.
 */
function resetFunction(nonce: string): string {
  const record = Object.entries(shellOptions).map(
    ([letter, name]) => `[[ ! -o ${name} ]] || __varve_options+=${letter}`,
  );
  const ask = `'{ __varve_prompt "$?"; } >/dev/null 2>&1'`;
  const prompt = `\\e]697;D;${nonce};P;\${__varve_id-};$?;\${__varve_directory-}\\a`;
  return `__varve_reset() {
  \\unset -f builtin || ${ok}
  builtin enable ${requiredBuiltins} 2>/dev/null || ${ok}
  ${record.join('\n  ')}
  builtin set +${Object.keys(shellOptions).join('')}
  ${withoutAttributes('PS0 PS1 PS2 PROMPT_COMMAND')}
  PS1='${prompt}' PS2=
  builtin shopt -s promptvars
  builtin export -n PS1 PS2
  if [[ BASH_VERSINFO -gt 5 || ( BASH_VERSINFO -eq 5 && BASH_VERSINFO[1] -ge 1 ) ]]; then
    PROMPT_COMMAND=('' ${ask})
  else
    PROMPT_COMMAND=${ask}
  fi
}`;
}

/** Removes variables: they may be references, integers or in capitals, as a command has declared them. */
function withoutAttributes(names: string): string {
  return `{ builtin unset -n ${names}; builtin unset -v ${names}; } 2>/dev/null || ${ok}`;
}

/** Returns the last line of the file of a command, by which the shell knows that it has read all of it. */
export function commandEnd(nonce: string): string {
  return `\n# ${nonce}`;
}

/** Returns bash code that exports variables until the next prompt. The values never pass through the terminal. */
export function secretsFile(variables: Readonly<Record<string, string>>): string {
  const names = Object.keys(variables);
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  // Names first: a shell that is interrupted while it reads the file still unsets all of them at its next prompt.
  return `__varve_secrets=${shellWord(names.join(' '))}\n${lines.join('\n')}\n`;
}

/** Returns bash code that loads the state of another shell. Corrects PWD, whose directory may no longer exist. */
function sourceInherited(inherit: string): string {
  return `{ builtin . ${shellWord(inherit)}; builtin test "$PWD" -ef . || builtin cd -P .; } >/dev/null 2>&1\n`;
}

/** All names of variables but those of the session and of bash that begin with an underscore. */
const variableNames = Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => [letter, letter.toUpperCase()])
  .flat()
  .map((letter) => `"\${!${letter}@}"`)
  .join(' ');

/**
 * Returns bash code that writes variables, functions, aliases and options of `shopt`, the latter first, because they
 * decide what is a function. Those of `set` are left out: with `-e` the next shell would end as the last one did.
 */
function saveState(files: string): string {
  const file = `${shellWord(files)}"$((__varve_id % 2))"`;
  const lines = [
    `builtin export -fn ${functions}`,
    'builtin shopt -p',
    `builtin declare -p ${variableNames}`,
    // The function that saves has its own.
    "builtin printf 'unset -v IFS\\n'",
    'builtin declare -fp',
    'builtin export -fp',
    'builtin alias -p',
    `builtin printf '%s\\n' '${endMarker}'`,
  ].join('; ');
  // Under a small `ulimit -f` the signal XFSZ would kill the shell.
  // Opening a pipe would wait for its reader.
  const isFile = `[[ ! -e ${file} || -f ${file} ]]`;
  return `{ builtin trap '' XFSZ; ${isFile} && { ${lines}; } >|${file}; builtin trap - XFSZ; }`;
}
