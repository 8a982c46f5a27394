import { isLongOption } from '../shell/words/options.ts';

/** Options, of any program, whose value is a program or code that it runs. */
const longOptions = (
  'checkpoint-action compress-program eval exec experimental-loader ext-diff fplugin hostname-bin import info-script ' +
  'init-script interpreter javaagent loader makefile new-volume-script node-options open-files-in-pager pager plugin pre ' +
  'preload receive-pack require rsh rsh-command rsync-path runner script-shell shell textconv to-command toolexec ' +
  'upload-pack use-askpass use-compress-program vettool wrapper'
).split(' ');

/** Letters of such options, by program, and of options that name another project to build. */
const letters: Readonly<Record<string, string>> = {
  cargo: 'CZ',
  cmake: 'CDP',
  curl: 'K',
  gcc: 'B',
  git: 'xO',
  gmake: 'fCI',
  go: 'C',
  gradle: 'bDIp',
  just: 'cdf',
  kubectl: 'f',
  poetry: 'CP',
  make: 'fCI',
  mvn: 'Dfs',
  node: 'rep',
  npm: 'C',
  perl: 'eEMI',
  php: 'rd',
  pnpm: 'C',
  pytest: 'pco',
  python: 'cm',
  python3: 'cm',
  rsync: 'e',
  ruby: 'reI',
  scp: 'oSF',
  ssh: 'oSF',
  tar: 'IF',
  wget: 'e',
};

/** Options of one program that others use for something else. */
const ownOptions: Readonly<Record<string, readonly string[]>> = {
  cargo: ['config', 'manifest-path'],
  go: ['modfile', 'overlay'],
  npm: ['prefix', 'userconfig', 'globalconfig'],
  dotnet: ['project', 'property', 'test-adapter-path'],
  gradle: ['project-dir', 'build-file', 'settings-file', 'include-build'],
  just: ['justfile', 'working-directory', 'command', 'set'],
  kubectl: ['kubeconfig', 'filename'],
  mvn: ['file', 'settings', 'global-settings', 'toolchains'],
  poetry: ['directory', 'project'],
  uv: [
    'directory',
    'project',
    'index-url',
    'default-index',
    'index',
    'extra-index-url',
    'find-links',
    'python',
    'with',
  ],
  yarn: ['cwd', 'use-yarnrc'],
  pytest: ['rootdir', 'confcutdir', 'override-ini'],
  pnpm: ['dir', 'config.script-shell', 'config.scriptShell'],
  make: ['directory', 'file', 'include-dir'],
  gmake: ['directory', 'file', 'include-dir'],
};

/** Programs whose arguments set variables, such as the shell that they use. */
const assigning = new Set(['gmake', 'just', 'make', 'rake', 'scons']);

/**
 * Reports whether arguments name a program or code that a command runs: `go test -exec`, `make SHELL=…`. An allow rule
 * for the words in front of them does not cover it.
 */
export function namesProgram(program: string, args: readonly string[]): boolean {
  const long = [...longOptions, ...own(ownOptions, program, [])];
  const short = own(letters, program, '');
  return args.some((arg) => {
    if (assigning.has(program) && /^[A-Za-z_][\w.]*[:+?!]?=/.test(arg)) return true;
    if (!arg.startsWith('-')) return false;
    if (arg.startsWith('--')) return long.some((option) => isLongOption(arg, `--${option}`));
    // Some programs write long options with one hyphen.
    if (long.some((option) => arg === `-${option}` || arg.startsWith(`-${option}=`) || arg.startsWith(`-${option}:`)))
      return true;
    return short !== '' && short.split('').some((letter) => arg.includes(letter));
  });
}

function own<T>(table: Readonly<Record<string, T>>, program: string, missing: T): T {
  return Object.hasOwn(table, program) ? (table[program] ?? missing) : missing;
}
