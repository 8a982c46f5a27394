import type { OptionList } from '../words/options.ts';

/** Options of an interpreter, and where its code is. */
export interface Interpreter {
  /** Options before the file, of which those in `code` contain code. */
  readonly options: OptionList;
  readonly code: readonly string[];
  /** Options that replace the file: `python -m pytest`. */
  readonly modules?: readonly string[];
}

const javascript: Interpreter = {
  options:
    '-e: -p: -c -i -h -v -r: --eval: --print: --check --interactive --require: --import: --loader: --experimental-loader: --conditions: -C: --env-file: --test-reporter: --test-name-pattern: --watch-path: --inspect? --inspect-brk? --stack-trace-limit? --version --help --test --watch --*',
  code: ['-e', '-p', '-i', '--eval', '--print', '--interactive'],
  modules: ['-h', '-v', '--version', '--help', '--test'],
};

/** Programs that run code from an argument, their input, or a file. */
const interpreters: Readonly<Record<string, Interpreter>> = {
  python: {
    options:
      '-b -B -d -E -h -i -I -O -P -q -s -S -u -v -V -x -? -c: -m: -W: -X: --version --help --check-hash-based-pycs:',
    code: ['-c', '-i'],
    modules: ['-m', '-V', '--version', '-h', '--help'],
  },
  node: javascript,
  nodejs: javascript,
  bun: { ...javascript, modules: ['-h', '-v', '--version', '--help'] },
  deno: { options: '-h -V --version --help --*', code: [], modules: ['-V', '--version', '-h', '--help'] },
  tsx: javascript,
  'ts-node': javascript,
  perl: {
    options: '-a -c -f -h -l? -n -p -s -S -t -T -u -U -v -V? -w -W -X -0? -C? -D? -d? -e: -E: -F? -i? -I: -m? -M? -x?',
    code: ['-e', '-E', '-d', '-m', '-M', '-x'],
    modules: ['-v', '-V', '-h'],
  },
  ruby: {
    options: '-a -c -d -h -l -n -p -s -S -v -w -y -0? -C: -E: -e: -F? -i? -I: -K? -r: -T? -W? -x? --version --help --*',
    code: ['-e', '-x'],
    modules: ['-v', '--version', '-h', '--help'],
  },
  php: {
    options: '-a -C -e -h -i -l -m -n -q -s -v -w -B: -c: -d: -E: -f: -F: -R: -r: -S: -t: -z: --version --help --ini',
    code: ['-a', '-B', '-d', '-E', '-F', '-R', '-r'],
    modules: ['-v', '-i', '-m', '-h', '--version', '--help', '--ini', '-S'],
  },
  lua: { options: '-e: -i -l: -v -E -W', code: ['-e', '-i'], modules: ['-v'] },
  luajit: { options: '-e: -i -l: -v -E -j: -O? -b', code: ['-e', '-i'], modules: ['-v'] },
  Rscript: { options: '-e: --verbose --version --*', code: ['-e'], modules: ['--version'] },
  osascript: { options: '-e: -i -l: -s:', code: ['-e', '-i'] },
  tclsh: { options: '', code: [] },
  wish: { options: '', code: [] },
  kotlin: {
    options: '-e: -expression: -cp: -classpath: -howtorun: -J? -D? -X? -h -help -version --*',
    code: ['-e', '-expression'],
    modules: ['-h', '-help', '-version'],
  },
  raku: {
    options: '-e: -I: -M: -c -n -p -v -V -h --version --help --*',
    code: ['-e', '-M'],
    modules: ['-v', '-V', '-h', '--version', '--help'],
  },
  scala: {
    options:
      '-e: -cp: -classpath: -d: -S: -J? -D? -O? -q -v -h -version --execute-script: --execute-scala: --version --help --*',
    code: ['-e', '--execute-script', '--execute-scala'],
    modules: ['-h', '-version', '--version', '--help'],
  },
  powershell: { options: '', code: [] },
  pwsh: { options: '', code: [] },
  groovy: { options: '-e: -n -p', code: ['-e'] },
  julia: { options: '-e: -E: -q -t: -p: --version --*', code: ['-e', '-E'], modules: ['--version'] },
  jshell: { options: '', code: [] },
  R: {
    options: '-f: -e: -g: -q --file: --gui: --version --help --*',
    code: ['-e'],
    modules: ['-f', '--file', '--version'],
  },
  irb: { options: '-r: -I: -f -d -w --version --help --*', code: ['-e'], modules: ['--version', '--help'] },
  pry: { options: '-r: -e: -I: -f --version --help --*', code: ['-e'], modules: ['--version', '--help'] },
  octave: { options: '-q -W --eval: --version --help --*', code: ['--eval'], modules: ['--version', '--help'] },
  elixir: {
    options: '-e: -r: -S: --eval: --version --help --*',
    code: ['-e', '--eval'],
    modules: ['-S', '--version', '--help'],
  },
  iex: { options: '-e: -r: -S: --eval: --version --help --*', code: ['-e', '--eval'], modules: ['-S', '--version'] },
  guile: { options: '-c: -l: -s: -q --version --help --*', code: ['-c'], modules: ['-s', '--version', '--help'] },
  racket: {
    options: '-e: -f: -l: -t: -i -n -m --eval: --version --help --*',
    code: ['-e', '-i', '--eval'],
    modules: ['-f', '-l', '-t', '--version', '--help'],
  },
  sbcl: {
    options: '--eval: --load: --script: --version --help --*',
    code: ['--eval'],
    modules: ['--load', '--script', '--version', '--help'],
  },
  ghci: { options: '-e: --version --help --*', code: ['-e'], modules: ['--version', '--help'] },
  gnuplot: { options: '-e: -p -c --version --help --*', code: ['-e'], modules: ['--version', '--help'] },
  sqlite3: { options: '-batch -csv -json -header -readonly -line -column -table -cmd:', code: ['-cmd'] },
};

/** Programs that read shell commands. */
const shells = new Set(
  'sh bash rbash zsh rzsh dash ksh rksh mksh lksh pdksh oksh ash yash posh hush fish csh tcsh xonsh elvish nu'.split(
    ' ',
  ),
);

/** Options of shells. */
export const shellOptions: OptionList =
  '-a -b -e -f -h -i -k -l -m -n -p -r -s -t -u -v -x -B -C -D -E -H -P -T -c -o: -O: --login --norc --noprofile --noediting --posix --verbose --restricted --version --help --debugger --command:';

/** Options of awk; `-f` and `-E` name a file. */
export const awkOptions: OptionList =
  '-f: -F: -v: -e: -i: -l: -E: -b -c -C -d? -D? -g -h -I -k -L? -M -n -N -O -o? -p? -P -r -s -S -t -V --assign: --field-separator: --file: --source: --include: --load: --exec: --version --help --posix --re-interval --csv';

/** Options of sed. */
export const sedOptions: OptionList =
  '-n -E -r -s -u -z -b -i? -e: -f: -l: --expression: --file: --line-length: --in-place? --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --follow-symlinks --version --help --binary --zero-terminated';

const clojure = /^(?:-e|--eval)(?:=|$)/;

/** Editors, pagers, debuggers and evaluators with the arguments that contain commands for them. */
export const editors: Readonly<Record<string, RegExp>> = {
  bb: clojure,
  clj: clojure,
  clojure,
  dc: /^(?:-[a-z]*e|--expression)/,
  ed: /./,
  emacs: /^-/,
  erl: /^-(?:eval|run|s)$/,
  ex: /./,
  expect: /./,
  gdb: /^-/,
  ghc: /^-e/,
  less: /^\+/,
  lldb: /^-/,
  maxima: /^(?:-[br]|--(?:batch|run|init)-?)/,
  more: /^\+/,
  nvim: /^(?:\+|-[a-zA-Z]*[cSsuEe]|--cmd)/,
  swift: /^-e$/,
  vi: /^(?:\+|-[a-zA-Z]*[cSsuEe]|--cmd)/,
  view: /^(?:\+|-[a-zA-Z]*[cSsuEe]|--cmd)/,
  vim: /^(?:\+|-[a-zA-Z]*[cSsuEe]|--cmd)/,
};

/** Reports whether a program is a shell. */
export function isShell(name: string): boolean {
  // Versions: `bash5.2`, `zsh-5.9`, `bash-static`, `sh.distrib`.
  return shells.has(name.replace(/(?:-static|\.distrib|-?(?<![\d.])\d[\d.]*)$/, ''));
}

const makefile = /^(?:-[a-zA-Z]*f|--(?:make)?file=)?(?:-$|\/+(?:dev|proc)\/)|\/stdin$/;

/** Programs that run what they read from their input, with the arguments that make them read it. */
export const inputReaders: Readonly<Record<string, RegExp>> = {
  at: /^/,
  batch: /^/,
  bb: /^-?$/,
  clj: /^-?$/,
  clojure: /^-?$/,
  crontab: /^-?$/,
  dc: /^/,
  ed: /^/,
  erl: /^/,
  expect: /^/,
  gdb: /^/,
  gmake: makefile,
  lldb: /^/,
  m4: /^/,
  make: makefile,
  newgrp: /^/,
  setarch: /^/,
  sg: /^/,
  swift: /^-?$/,
};

/** Returns the description of an interpreter: `python3.12` is `python`. */
export function interpreterOf(name: string): Interpreter | undefined {
  const key = name
    .replace(/^(python|pypy|perl|ruby|php|lua|node|tclsh|guile|R|ghci)[-\d.]+(?:-?dbg|t|d)?$/, '$1')
    .replace(/^(?:pypy|[ib]python3?|micropython|python-dbg)$/, 'python');
  return Object.hasOwn(interpreters, key) ? interpreters[key] : undefined;
}

/** Reports whether a program runs its input or an argument as code. */
export function runsCode(name: string): boolean {
  if (isShell(name) || interpreterOf(name) || name === 'eval' || name === 'source' || name === '.') return true;
  return /^[gmn]?awk$/.test(name);
}
