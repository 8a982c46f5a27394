import type { Unknown } from './unknowns.ts';

/** Options of Node that load no code. */
export const harmlessNodeOptions =
  /^\s*(?:--(?:max[-_]old[-_]space[-_]size=\d+|no-warnings|experimental-[\w-]+|enable-source-maps|trace-[\w-]+|conditions=[\w@/-]+)(?:\s+|$))*$/;

/** Options of bash with which words mean other files. */
export const changesNames = /^(?:dotglob|cdable_vars)$/;

/** Variables that name a program, or that the shell or a program runs, with the values that are harmless. */
const special: readonly (readonly [names: RegExp, harmless: RegExp])[] = [
  [/^(?:PROMPT_COMMAND|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|BASH_LOADABLES_PATH|CDPATH|SHELL)$/, /^$/],
  // Text that bash expands before a prompt.
  [/^(?:PS\d|MAILPATH)$/, /^[^`$\\]*$/],
  [/^IFS$/, /^[^\w/.-]*$/],
  // With it, wildcards match hidden names.
  [/^GLOBIGNORE$/, /^$/],
  [/^(?:LD_|DYLD_).*$/, /^$/],
  [/^(?:PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|LESSOPEN|LESSCLOSE|TAR_OPTIONS|RSYNC_RSH)$/, /^$/],
  [
    /^(?:[A-Z]+_)*(?:EDITOR|PAGER|BROWSER)$|^(?:VISUAL|FCEDIT|MANPAGER|HGEDITOR|HGMERGE|SVN_MERGE)$/,
    /^(?:|cat|less|more|true|:|echo|none|vi|vim|nano)$/,
  ],
  [
    /^GIT_(?:SSH|SSH_COMMAND|PROXY_COMMAND|EXTERNAL_DIFF|CONFIG.*|ASKPASS|EXEC_PATH|TEMPLATE_DIR|(?:COMMON_)?DIR)$/,
    /^(?:|true|echo|\/dev\/null)$/,
  ],
  // Programs, and libraries or their directories, that programs start or load.
  [
    /^(?:SVN_SSH|CVS_RSH|RSYNC_(?:CONNECT_PROG|SHELL)|SSH_(?:SK_PROVIDER|SK_HELPER|PKCS11_HELPER)|KUBECTL_EXTERNAL_DIFF|GOCACHEPROG|GOTOOLDIR|GOAUTH|PERL5SHELL)$/,
    /^(?:|ssh|diff|off|none|netrc)$/,
  ],
  [
    /^(?:GCC_EXEC_PREFIX|COMPILER_PATH|GCONV_PATH|OPENSSL_(?:CONF|ENGINES|MODULES)|DOTNET_STARTUP_HOOKS|CORECLR_PROFILER\w*|NODE_REPL_EXTERNAL_MODULE|RIPGREP_CONFIG_PATH|WGETRC|CURL_HOME)$/,
    /^(?:$|\/(?:dev\/null|nonexistent)$|\/(?:usr|etc|opt)(?:\/|$)(?!.*\.\.))/s,
  ],
  [/^(?:CCACHE_(?:PREFIX\w*|COMPILER)|CMAKE_\w+_LAUNCHER)$/, /^(?:\/usr(?:\/local)?\/bin\/)?[\w-]*$/],
  [/^(?:npm|pnpm)_config_(?:git|shell|editor|viewer|node_gyp)$/i, /^$/],
  // Code, and options that contain code.
  [/^(?:VIMINIT|EXINIT|LUA_INIT(?:_\d+)*|BUN_OPTIONS|FZF_DEFAULT_COMMAND)$/, /^$/],
  [/^(?:ELIXIR_)?ERL_(?:[AZ]?FLAGS|OPTIONS)$/, /^(?: *(?:\+\w+|-kernel shell_history)(?: +[\w:]+)?(?= |$))* *$/],
  [/^(?:GNUMAKEFLAGS|MAKEFLAGS|MFLAGS)$/, /^(?!.*(?:eval|SHELL))[\w\s=[\]*-]*$/],
  [/^(?:LESS|MORE)$/, /^[^+]*$/],
  [/^FZF_DEFAULT_OPTS$/, /^(?!.*(?:bind|preview|listen))/s],
  [/^PYTHON(?:BREAKPOINT|WARNINGS)$/, /^(?:[\w:, ]*|(?:i?pdb|pudb)\.set_trace)$/],
  [/^DBUS_(?:SESSION|SYSTEM)_BUS_ADDRESS$/, /^(?!.*unixexec)/s],
  [
    /^(?:_JAVA_OPTIONS|J(?:DK_JAVA|AVA_TOOL)_OPTIONS|(?:JAVA|MAVEN|GRADLE|SBT)_OPTS)$/,
    /^\s*(?:(?:-ea|-server|--enable-preview|--add-(?:opens|exports)[ =][\w./=-]+|-X(?:m[nsx]|ss)\w+|-XX:[+-]\w+|-XX:\w*(?:Size|Percentage)=[\w.]+|-D(?!\S*class)[\w.-]+=[\w./:-]*)(?:\s+|$))*$/,
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
const trusted: typeof special = [
  [/^(?:COLUMNS|LINENO|LINES|SECONDS)$/, /^\d*$/],
  [/^(?:HOME|USER)$/, /^[\w~./@+-]*$/],
  [/^PWD$/, /^\.$/],
  [/^TMPDIR$/, /^(?:(?:\/var)?\/tmp|\.)(?:\/(?!\.\.)[\w.-]+)*\/?$/],
];

/** Variables that bash calculates when they are set: `for RANDOM in 'x[$(rm -rf y)]'`. */
const integers = /^(?:HISTCMD|MAILCHECK|OPTIND|RANDOM|SRANDOM)$/;

/** Variables that are the aliases and the table of programs: `BASH_CMDS=(ls ./x)`. */
const tables = /^BASH_(?:ALIASES|CMDS)$/;

/** Directories that may precede the others in PATH: not the current one and not a temporary one. */
const searched =
  /^(?:\$PATH|\$\{PATH\}|(?:~|\$HOME|\$\{HOME\}|\$PWD|\$\((?:pwd|go env GOPATH)\)|\/usr|\/opt|\/home|\/Users|\/bin|\/sbin|\/snap)(?:\/(?!\.\.)[\w.@+-]+)*)$/;

/** Reports whether a subscript may contain text that the shell runs when it calculates: `x[$(rm -rf y)]`. */
function hidesCommand(value: string): boolean {
  const subscript = value.indexOf('[');
  return subscript >= 0 && /\$\(|`/.test(value.slice(subscript));
}

/**
 * Returns why an assignment, also one for a single program, makes what runs unknown, if it does. `value` is undefined
 * if it is unknown.
 */
export function unknownAssignment(name: string, value: string | undefined): Unknown | undefined {
  const text = value === undefined ? name : `${name}=${value}`;
  if (value !== undefined && hidesCommand(value)) return { kind: 'unknown.arithmetic', text };
  if (integers.test(name) && !/^-?\d*$/.test(value ?? name)) return { kind: 'unknown.arithmetic', text };
  if (tables.test(name)) return { kind: 'unknown.later', text };
  if (name === 'PATH') {
    return value?.split(':').every((directory) => searched.test(directory))
      ? undefined
      : { kind: 'unknown.program', text };
  }
  return isHarmful(special, name, value) ? { kind: 'unknown.program', text } : undefined;
}

/** Returns the same of an assignment that later commands see. */
export function unknownLater(name: string, value: string | undefined): Unknown | undefined {
  if (!isHarmful(trusted, name, value)) return unknownAssignment(name, value);
  return { kind: 'unknown.later', text: value === undefined ? name : `${name}=${value}` };
}

function isHarmful(rules: typeof special, name: string, value: string | undefined): boolean {
  const rule = rules.find(([names]) => names.test(name));
  return rule !== undefined && (value === undefined || !rule[1].test(value));
}

/** Reports whether text can be the name of a variable and nothing else. */
export function isVariableName(text: string | undefined): boolean {
  return text !== undefined && /^[A-Za-z_]\w*(?:\[(?:\d+|[@*])\])?$/.test(text);
}
