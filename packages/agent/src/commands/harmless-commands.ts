import { homedir } from 'node:os';
import { posix, resolve } from 'node:path';
import { isBelow } from './named-path.ts';
import type { PlainCommand } from './plain-commands.ts';

/** Test of the arguments for which a program is harmless. */
type Accepts = (args: readonly string[]) => boolean;

const any: Accepts = () => true;

/** Returns a test for arguments without options that match a pattern: those that run programs or write files. */
function without(options: RegExp): Accepts {
  return (args) => !args.some((arg) => options.test(arg));
}

/** Returns a test for one of some first words that are no options. */
function verb(...names: readonly string[]): Accepts {
  const known = new Set(names.flatMap((list) => list.split(' ')));
  return (args) => known.has(args.find((arg) => !arg.startsWith('-')) ?? '');
}

function both(first: Accepts, second: Accepts): Accepts {
  return (args) => first(args) && second(args);
}

const onlyVersion: Accepts = (args) => args.length > 0 && args.every((arg) => /^(?:-v|-V|--version|--help)$/.test(arg));
/** A script of the workspace, or a module; not code in an argument. */
const script: Accepts = (args) =>
  /^(?!-)[\w./-]+$/.test(args[0] ?? '') || args[0] === '-m' || args[0] === '--test' || onlyVersion(args);
const gitPrograms = /^(?:--exec|--output|--ext-diff|--textconv|-O|--open-files-in-pager|--upload-pack|--config|-x)/;
const gitReads =
  'status diff log show blame grep ls-files ls-tree rev-parse describe shortlog cat-file check-ignore merge-base reflog';
const gitWrites = 'add commit switch fetch pull init mv merge cherry-pick rebase';
const git: Accepts = (args) => {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  if (args.some((arg, index) => gitPrograms.test(arg) || (index < at && arg.startsWith('-c')))) return false;
  const [name, ...rest] = args.slice(at);
  if (`${gitReads} ${gitWrites}`.split(' ').includes(name ?? '')) return true;
  if (name === 'checkout') return rest[0] === '-b';
  if (name === 'branch' || name === 'tag')
    return !rest.some((arg) => /^-[a-zA-Z]*[dDmMfcC]|^--(?:delete|move|force|copy)/.test(arg));
  if (name === 'stash') return /^(?:push|list|show|pop)?$/.test(rest[0] ?? '');
  if (name === 'reset') return !rest.some((arg) => /^--(?:hard|merge|keep)/.test(arg));
  if (name === 'config') return rest.length === 1 && /^\w+\.\w+$/.test(rest[0] ?? '');
  if (name === 'worktree') return rest[0] === 'list';
  return name === 'remote' && (rest.length === 0 || rest[0] === '-v' || rest[0] === 'show');
};
/** Names of packages of the configured registry, and options that select no other one. */
const packages =
  /^(?:-[DEgO]|--save\S*|--frozen-lockfile|--no-\w+|--prefer-offline|@?[a-zA-Z][\w.-]*(?:\/[\w.-]+)?(?:@[\w.^~-]+|[=<>~]=?[\w.]+)?|-r|[\w./-]+\.txt|-e|\.(?:\[\w+\])?)$/;
const npm: Accepts = (args) => {
  const [name = 'install', ...rest] = args[0] === '-r' ? args.slice(1) : args;
  if (
    /^(?:build|lint|dev|test|t|run|run-script|start|ls|list|view|info|outdated|why|audit|exec|--version|-v)$/.test(name)
  )
    return true;
  return /^(?:install|i|ci|add)$/.test(name) && rest.every((arg) => packages.test(arg));
};
const pip: Accepts = ([name, ...rest]) =>
  /^(?:list|show|freeze|check|--version)$/.test(name ?? '') ||
  (name === 'install' && rest.every((arg) => packages.test(arg)));
const npx: Accepts = ([name]) =>
  /^(?:tsc|vitest|jest|eslint|prettier|mocha|playwright|tsx|ts-node|vite|next|biome|oxlint|oxfmt|knip|c8|nyc|ava|tap)$/.test(
    name ?? '',
  );
/** Files inside the workspace: relative, without a way out, no wildcards and no repository. */
const inside: Accepts = (args) =>
  args.every(
    (arg) =>
      arg.startsWith('-') || (/^(?:\/tmp\/|(?![/~]))[^*?]*$/.test(arg) && !/(?:^|\/)(?:\.\.|\.git)(?:\/|$)/.test(arg)),
  );
/** Lines by number, or a replacement without flags that run or write something. */
const sed: Accepts = (args) => {
  const [text = '', ...files] = args.slice(args.findIndex((arg) => !/^-(?:[nErsz]+|i)$|^$/.test(arg)));
  const [command, , , flags] = text.split(text[1] ?? '');
  const isReplacement = command === 's' && flags !== undefined && /^[gIip\d]*$/.test(flags);
  return inside(files) && (isReplacement || /^\d*(?:,\$|,\d+)?[pd]$/.test(text));
};
const awk: Accepts = (args) => !args.some((arg) => /system|getline|[|>]|^-(?:f|i|l)|^--/.test(arg));
const find = without(/^-(?:delete|exec|execdir|ok|okdir|fprint|fprintf|fprint0|fls|files0-from)$/);
const local =
  /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)|^(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/|$)/;
/** Requests to servers on this machine, without files. */
const curl: Accepts = (args) =>
  args.some((arg) => local.test(arg)) &&
  args.every(
    (arg) =>
      local.test(arg) ||
      !/^[a-z]+:\/\/|^@|^-[a-zA-Z]*[oOTKFx]|^--(?:output|upload|config|form|proxy|data-binary|remote|next|url)/.test(
        arg,
      ),
  );
/** Keys and passwords are below the home directory. */
const notAroundHome: Accepts = (args) =>
  !args.some((arg) => arg.startsWith('~') || (arg.startsWith('/') && isBelow(homedir(), resolve(arg))));
/** Directories that builds write, and temporary ones, which may be removed with all that is in them. */
const built =
  /^(?:\.\/)?(?:[\w.-]+\/)*(?:node_modules|dist|build|out|target|coverage|\.next|\.turbo|\.cache|\.pytest_cache|\.mypy_cache|__pycache__|\.nyc_output)\/?$|^\/tmp\/[\w.-]+(?:\/[\w./-]*)?$/;
const rm: Accepts = (args) => {
  const files = args.filter((arg) => !arg.startsWith('-'));
  if (files.some((file) => file.split('/').includes('..'))) return false;
  if (files.every((file) => built.test(file))) return true;
  return !args.some((arg) => /^-\w*[rR]|^--rec/.test(arg)) && files.every((file) => /^(?![/~])[^*?]+$/.test(file));
};
const docker: Accepts = both(
  verb('ps images logs inspect version info stats top port compose build'),
  (args) =>
    !args.includes('compose') ||
    /^(?:ps|logs|up|build|config|images|top|start|restart)$/.test(args[args.indexOf('compose') + 1] ?? ''),
);

/** Programs that only read, separated by blanks, with the arguments for which they are harmless: one is a row. */
const reading: readonly (readonly [string, Accepts])[] = [
  ['cd ls ll cat head tail wc stat file du df cmp test [ true false echo printf pwd basename dirname realpath', any],
  [
    'readlink md5sum sha1sum sha256sum sha512sum od hexdump jq nl cut column tac rev tr comm join paste fold expand',
    any,
  ],
  [
    'which whereis type uname whoami id groups printenv nproc free uptime ps sleep seq expr locale getconf wait jobs',
    any,
  ],
  ['lsof pgrep strings tput', any],
  ['less', without(/^[-+]/)],
  ['ss', (args) => args.every((arg) => /^-[tulnpa46]+$/.test(arg))],
  ['grep egrep fgrep diff rg ag', both(without(/^--(?:pre|search-zip|pager)|(?:^|\/)\.\.(?:\/|$)/), notAroundHome)],
  ['sort tree', without(/^-o|^--(?:output|compress-program)/)],
  ['uniq xxd', (args) => args.filter((arg) => !arg.startsWith('-')).length < 2],
  ['date hostname', (args) => args.every((arg) => arg.startsWith('+') || /^-[uIR]/.test(arg))],
  ['env export', (args) => args.length === 0],
  ['set', (args) => args.every((arg) => /^[-+][euxo]+$|^pipefail$/.test(arg))],
  ['find', find],
  ['fd fdfind', without(/^-[xX]|^--exec/)],
  ['awk gawk mawk', awk],
];

/** Programs that build, test and change files, which are harmless in the workspace and in temporary directories. */
const working: typeof reading = [
  ['ruff mypy pyright flake8 pylint black isort pytest tox ctest', any],
  ['tsc vitest jest eslint prettier mocha oxlint oxfmt biome vite next rake coverage', any],
  ['gcc g++ cc c++ clang clang++ rustc javac ninja cmake make rspec phpunit shellcheck hadolint yamllint', any],
  ['git', git],
  ['npm pnpm yarn bun', npm],
  ['npx', npx],
  ['pip pip3', pip],
  ['uv poetry pipenv', verb('run sync lock tree install show')],
  ['composer', verb('install')],
  ['mix swift', verb('test build compile format')],
  ['terraform helm', verb('fmt validate plan template lint')],
  [
    'gh',
    (args) =>
      /^(?:pr|issue|run|release|repo)$/.test(args[0] ?? '') && /^(?:view|list|diff|checks)$/.test(args[1] ?? ''),
  ],
  ['python python3 node ruby php perl bash sh . source tsx deno java', script],
  ['cargo', verb('build b test t check c clippy fmt run r doc tree metadata bench nextest --version')],
  ['go', verb('build test vet run fmt mod list env version doc')],
  ['dotnet', verb('build test run restore format --version')],
  ['mvn mvnw gradle gradlew', verb('compile test verify package build check clean tasks assemble')],
  ['bundle', verb('exec install list show')],
  ['docker podman docker-compose', docker],
  ['kubectl', both(verb('get describe logs top version explain'), without(/secret/i))],
  ['sed', sed],
  ['curl', curl],
  ['rm rmdir', rm],
  ['mkdir touch cp mv ln', inside],
  ['tee', inside],
  [
    'tar',
    (args) =>
      /^-?[ct]z?v?f$/.test(args[0] ?? '') && args.slice(1).every((arg) => /^[\w/]/.test(arg)) && inside(args.slice(1)),
  ],
  ['zip', (args) => args.every((arg) => /^-[rq]+$|^[\w./]/.test(arg)) && inside(args)],
  ['chmod', (args) => /^[+u]?\+?[rwx]+$|^[0-7]{3}$/.test(args[0] ?? '') && inside(args.slice(1))],
  ['kill', (args) => args.every((arg) => /^(?:-\w+|%?\d{2,}|%\d)$/.test(arg))],
];

const readers = programsIn(reading);
const programs = programsIn([...reading, ...working]);

function programsIn(rows: typeof reading): ReadonlyMap<string, Accepts> {
  return new Map(rows.flatMap(([names, accepts]) => names.split(' ').map((name) => [name, accepts] as const)));
}

/** Programs that run the command after their own options. */
const runners: Readonly<Record<string, RegExp>> = {
  time: /^-p$/,
  timeout: /^(?:-k|-s|--\S+|\d+[smh]?)$/,
  nice: /^-/,
  xargs: /^(?:-[0rt]+|-[nPLI]|\d+|\{\}|-[nPL]\d+|-I\{\})$/,
};

/**
 * Reports whether a command is known to be harmless: it reads, builds or tests, or changes files of the workspace as an
 * editor may. Programs of the workspace count as harmless, as the agent may edit them and run the tests. Elsewhere than
 * in the workspace it may only read.
 */
export function isHarmless({ words, writes, isOpen }: PlainCommand, isInWorkspace: boolean): boolean {
  if (isOpen === true && words.some((word) => /^[/~]|\.\./.test(word))) return false;
  if (!isInWorkspace && writes.length > 0) return false;
  if (!writes.every((file) => inside([file]))) return false;
  const [program = '', ...args] = words;
  const options = Object.hasOwn(runners, program) ? runners[program] : undefined;
  if (options) {
    const at = args.findIndex((arg) => !options.test(arg));
    return at >= 0 && isHarmless({ words: args.slice(at), writes: [] }, isInWorkspace);
  }
  // A path in the workspace: `./run.sh`, `scripts/build`, `.venv/bin/pytest`.
  if (program.includes('/') && !/^\/(?:usr\/)?bin\/[^/]+$/.test(program)) return isInWorkspace && inside([program]);
  return (isInWorkspace ? programs : readers).get(posix.basename(program))?.(args) === true;
}
