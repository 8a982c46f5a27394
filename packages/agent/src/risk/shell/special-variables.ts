import type { Unknown } from './unknowns.ts';

/** Options of Node that load no code. */
export const harmlessNodeOptions =
  /^\s*(?:--(?:max[-_]old[-_]space[-_]size=\d+|no-warnings|experimental-[\w-]+|enable-source-maps|trace-[\w-]+|conditions=[\w@/-]+)(?:\s+|$))*$/;

/** Variables that name a program, or that the shell or a program runs, with the values that are harmless. */
const special: readonly (readonly [names: RegExp, harmless: RegExp])[] = [
  [/^(?:PROMPT_COMMAND|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|BASH_LOADABLES_PATH|CDPATH|SHELL)$/, /^$/],
  [/^PS\d$/, /^[^`$\\]*$/],
  [/^IFS$/, /^[^\w/.-]*$/],
  [/^(?:LD_|DYLD_).*$/, /^$/],
  [
    /^(?:PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|JAVA_TOOL_OPTIONS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|RSYNC_RSH)$/,
    /^$/,
  ],
  [
    /^(?:(?:GIT_)?(?:EDITOR|PAGER|SEQUENCE_EDITOR)|VISUAL|FCEDIT|MANPAGER|BROWSER|GH_PAGER|SYSTEMD_PAGER)$/,
    /^(?:|cat|less|more|true|:|echo|none|vi|vim|nano)$/,
  ],
  [
    /^GIT_(?:SSH|SSH_COMMAND|PROXY_COMMAND|EXTERNAL_DIFF|CONFIG.*|ASKPASS|EXEC_PATH|TEMPLATE_DIR|DIR)$/,
    /^(?:|true|echo|\/dev\/null)$/,
  ],
  [/^(?:npm|pnpm)_config_script_shell$/i, /^(?:(?:\/usr)?\/bin\/)?(?:ba|da|z)?sh$/],
  [/^(?:CARGO_BUILD_)?RUST(?:C(?:_WORKSPACE)?(?:_WRAPPER)?|DOC)$/, /^(?:|rustc|rustdoc|sccache|clippy-driver)$/],
  // Linkers by name are found on the search path; a path may lead into the workspace.
  [/^CARGO_TARGET_\w+_(?:LINKER|RUNNER)$/, /^[\w-]*$|^qemu-[\w-]+ -L \/usr\/[\w/-]+$/],
  [/^(?:CARGO_(?:ENCODED|BUILD)_)?RUST(?:DOC)?FLAGS$/, /^(?![^]*linker=\S{0,200}[/.])/],
  [/^GOFLAGS$/, /^(?!.*exec|.*vettool)/],
  [/^(?:SSH|SUDO)_ASKPASS$/, /^(?:|true|\/bin\/true)$/],
  [/^(?:NODE_OPTIONS|(?:npm|pnpm)_config_node_options)$/i, harmlessNodeOptions],
];

/** Variables of the shell whose values are taken for harmless ones in later commands: `rm -r "$TMPDIR/x"`. */
const trusted: readonly (readonly [names: RegExp, harmless: RegExp])[] = [
  [/^(?:COLUMNS|LINENO|LINES|SECONDS)$/, /^\d*$/],
  [/^(?:HOME|USER)$/, /^[\w~./@+-]*$/],
  [/^PWD$/, /^\.$/],
  [/^TMPDIR$/, /^(?:(?:\/var)?\/tmp|\.)(?:\/(?!\.\.)[\w.-]+)*\/?$/],
];

/** Variables that bash calculates when they are set: `for RANDOM in 'x[$(rm -rf y)]'`. */
const integers = /^(?:HISTCMD|OPTIND|RANDOM|SRANDOM)$/;

/** Directories that may precede the others in PATH: not the current one and not a temporary one. */
const searched =
  /^(?:\$PATH|\$\{PATH\}|(?:~|\$HOME|\$\{HOME\}|\$PWD|\$\((?:pwd|go env GOPATH)\)|\/usr|\/opt|\/home|\/Users|\/bin|\/sbin|\/snap)(?:\/[\w.@+-]+)*)$/;

/** Reports whether a subscript may contain text that the shell runs when it calculates: `x[$(rm -rf y)]`. */
function hidesCommand(value: string): boolean {
  const subscript = value.indexOf('[');
  return subscript >= 0 && /\$\(|`/.test(value.slice(subscript));
}

/** Returns why an assignment makes later commands unknown, if it does. `value` is undefined if it is unknown. */
export function unknownAssignment(name: string, value: string | undefined): Unknown | undefined {
  const text = value === undefined ? name : `${name}=${value}`;
  if (value !== undefined && hidesCommand(value)) return { kind: 'unknown.arithmetic', text };
  if (integers.test(name) && !/^-?\d*$/.test(value ?? name)) return { kind: 'unknown.arithmetic', text };
  if (name === 'PATH') {
    return value?.split(':').every((directory) => searched.test(directory))
      ? undefined
      : { kind: 'unknown.program', text };
  }
  const own = trusted.find(([names]) => names.test(name));
  if (own && (value === undefined || !own[1].test(value))) return { kind: 'unknown.later', text };
  const rule = special.find(([names]) => names.test(name));
  return rule && (value === undefined || !rule[1].test(value)) ? { kind: 'unknown.program', text } : undefined;
}

/** Reports whether text can be the name of a variable and nothing else. */
export function isVariableName(text: string | undefined): boolean {
  return text !== undefined && /^[A-Za-z_]\w*(?:\[(?:\d+|[@*])\])?$/.test(text);
}
