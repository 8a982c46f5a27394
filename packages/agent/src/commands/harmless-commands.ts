import { posix } from 'node:path';
import {
  any,
  awk,
  both,
  curl,
  docker,
  git,
  inside,
  notAroundHome,
  notInHome,
  npm,
  npx,
  onlyVersion,
  pip,
  rm,
  script,
  scriptOrCheck,
  sed,
  uv,
  verb,
  verbOrAdd,
  without,
  type Accepts,
} from './harmless-arguments.ts';
import { isShellWithScript, type PlainCommand } from './plain-commands.ts';

/** Programs that only read, separated by blanks, with the arguments for which they are harmless: one is a row. */
const reading: readonly (readonly [string, Accepts])[] = [
  ['cd ls ll cat head tail wc stat file du df cmp true false echo pwd basename dirname realpath', any],
  [
    'readlink md5sum sha1sum sha256sum sha512sum od hexdump jq nl cut column tac rev tr comm join paste fold expand',
    any,
  ],
  ['which whereis type uname whoami id groups printenv nproc free uptime ps sleep seq expr locale getconf', any],
  ['lsof pgrep strings tput netstat clear base64 cksum b2sum', any],
  // A variable of an array can be named with a command in its index.
  ['test [ printf', without(/^-[vR]/)],
  ['wait jobs history', (args) => args.every((arg) => /^-[lnr]$|^%?\d+$/.test(arg))],
  ['unzip', (args) => /^-[ltv]+$/.test(args[0] ?? '')],
  ['command', (args) => /^-[vV]$/.test(args[0] ?? '')],
  ['apt apt-cache brew dnf', verb('list show search policy info')],
  ['less man', without(/^[-+]/)],
  ['ss', (args) => args.every((arg) => /^-[tulnpa46]+$/.test(arg))],
  ['sort tree', without(/^-[^-]*o|^--(?:o|com)/)],
  ['uniq xxd', (args) => args.filter((arg) => !arg.startsWith('-')).length < 2],
  ['date hostname', (args) => args.every((arg) => arg.startsWith('+') || /^-[uIR]/.test(arg))],
  ['env', (args) => args.length === 0],
  ['export', (args) => args.every((arg) => harmlessVariable.test(arg))],
  ['set', (args) => args.every((arg) => /^[-+][euxo]+$|^pipefail$/.test(arg))],
  ['awk gawk mawk', awk],
];

/** Finds files, and runs at most one command, which reads them. */
const find: Accepts = (args) => {
  if (args.some((arg) => /^-(?:delete|ok|okdir|fprint|fprintf|fprint0|fls|files0-from)$/.test(arg))) return false;
  const [at = -1, ...more] = args.flatMap((arg, index) => (/^-exec(?:dir)?$/.test(arg) ? [index] : []));
  return at < 0 || (more.length === 0 && searches(args.slice(at + 1)));
};

/** Programs that read all that is below a directory: in the workspace, not where keys and passwords are. */
const searching: typeof reading = [
  ['grep egrep fgrep diff rg ag', without(/^--(?:pre|search-zip|pag|hostname-bin)|(?:^|\/)\.\.(?:\/|$)/)],
  ['find', find],
  ['fd fdfind', without(/^-[^-]*[xX]|^--exec/)],
];

/** Programs that build, test and change files, which are harmless in the workspace and in temporary directories. */
const working: typeof reading = [
  ['ruff mypy pyright flake8 pylint black isort pytest tox ctest', any],
  ['tsc vitest jest eslint prettier mocha oxlint oxfmt biome vite next rake coverage', any],
  ['cmake', without(/^-E$/)],
  ['gofmt goimports golangci-lint clang-format clang-tidy', any],
  ['gcc g++ cc c++ clang clang++ rustc javac ninja make rspec phpunit shellcheck hadolint yamllint', any],
  ['git', git],
  ['npm pnpm yarn bun node php perl', (args) => args.join(' ') === '-v'],
  ['npm pnpm yarn bun', npm],
  ['npx', npx],
  ['pip pip3', pip],
  ['uv', uv],
  ['poetry pipenv', verbOrAdd('run sync lock tree install show')],
  ['pre-commit flask', verb('run')],
  ['uvicorn gunicorn', without(/^--(?:host|bind)|^-b/)],
  ['composer', verb('install')],
  ['mix swift', verb('test build compile format deps.get')],
  ['flutter dart', verb('test analyze format')],
  ['rails', verb('test routes')],
  ['yq', inside],
  ['terraform helm', verb('fmt validate plan template lint')],
  [
    'gh',
    (args) =>
      /^(?:pr|issue|run|release|repo)$/.test(args[0] ?? '') && /^(?:view|list|diff|checks)$/.test(args[1] ?? ''),
  ],
  ['python python3 ruby perl . source tsx deno java', script],
  ['node php bash sh', scriptOrCheck],
  ['cargo', verbOrAdd('build b test t check c clippy fmt run r doc tree metadata bench nextest')],
  ['go', verb('build test vet run fmt mod list env version doc get generate')],
  ['dotnet', (args) => verbOrAdd('build test run restore format')(args.filter((arg) => arg !== 'package'))],
  ['rustup', (args) => /^(?:show|toolchain list|target list|component list)/.test(args.join(' '))],
  ['dot', inside],
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
  ['kill', (args) => args.every((arg, at) => /^(?:%?\d{2,}|%\d)$/.test(arg) || (at === 0 && /^-\w+$/.test(arg)))],
];

const readers = programsIn(reading);
const searchers = programsIn([
  ...reading,
  ...searching.map(([names, accepts]) => [names, both(accepts, notAroundHome)] as const),
]);
const programs = new Map([
  ...programsIn(working.map(([names, accepts]) => [names, both(accepts, notInHome)] as const)),
  ...searchers,
]);

/** Returns the programs of rows; those of several rows are harmless by each. */
function programsIn(rows: typeof reading): ReadonlyMap<string, Accepts> {
  const acceptsByName = new Map<string, Accepts>();
  for (const [names, accepts] of rows)
    for (const name of names.split(' ')) {
      const other = acceptsByName.get(name);
      acceptsByName.set(name, other ? (args) => other(args) || accepts(args) : accepts);
    }
  return acceptsByName;
}

/** Variables that select no program and no file outside of the workspace. */
const harmlessVariable =
  /^(?:NODE_ENV|CI|PORT|HOST|DEBUG|FORCE_COLOR|NO_COLOR|LOG_LEVEL|RUST_(?:LOG|BACKTRACE)|CGO_ENABLED|GOOS|GOARCH|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED)|TZ|LANG|LC_\w+|TERM|COLUMNS|(?:FLASK|RAILS|RACK|APP|MIX)_ENV|FLASK_APP|DJANGO_SETTINGS_MODULE)=|^(?:PYTHONPATH|LD_LIBRARY_PATH)=(?![~/])(?!.*\.\.)/;

/** Programs that run the command after their own options. */
const runners: Readonly<Record<string, RegExp>> = {
  time: /^-p$/,
  timeout: /^(?:-k|-s|--\S+|\d+[smh]?)$/,
  nice: /^-/,
  nohup: /^$/,
  env: harmlessVariable,
  valgrind: /^-[qv]$|^--(?:leak-check|track-origins|error-exitcode|tool|show-leak-kinds)=/,
  strace: /^-[cfqTtyv]+$/,
  xargs: /^(?:-[0rt]+|-[nPLI]|\d+|\{\}|-[nPL]\d+|-I\{\})$/,
};

/** Reports whether a command only reads, for files of the workspace that are not known. */
function searches([program = '', ...args]: readonly string[]): boolean {
  return searchers.get(posix.basename(program))?.(args) === true;
}

function leadsOutside(word: string): boolean {
  return /^[/~]|\.\./.test(word);
}

/** Reports whether a command is known to only read; all below a directory only in the workspace. */
export function onlyReads({ words, writes, isOpen }: PlainCommand, isInWorkspace: boolean): boolean {
  const [program = '', ...args] = words;
  if (writes.length > 0 || (isOpen === true && words.some(leadsOutside))) return false;
  return isShellWithScript(words) || (isInWorkspace ? searchers : readers).get(program)?.(args) === true;
}

/**
 * Reports whether a command is known to be harmless: it reads, builds or tests, or changes files of the workspace as an
 * editor may. Programs of the workspace count as harmless, as the agent may edit them and run the tests. Elsewhere than
 * in the workspace it may only read.
 */
export function isHarmless({ words, writes, isOpen }: PlainCommand, isInWorkspace: boolean): boolean {
  if (isOpen === true && words.some(leadsOutside)) return false;
  if (!isInWorkspace && writes.length > 0) return false;
  if (!writes.every((file) => inside([file]))) return false;
  if (isShellWithScript(words)) return true;
  const [program = '', ...args] = words;
  const options = Object.hasOwn(runners, program) ? runners[program] : undefined;
  if (options && args.length > 0) {
    const at = args.findIndex((arg) => !options.test(arg));
    // Another variable, and variables before `cd`, which are those of the shell.
    if (at < 0 || args[at] === 'cd' || args[at]?.includes('=')) return false;
    const command = args.slice(at);
    return program === 'xargs'
      ? isInWorkspace && searches(command)
      : isHarmless({ words: command, writes: [] }, isInWorkspace);
  }
  // A path in the workspace: `./run.sh`, `scripts/build`, `.venv/bin/pytest`.
  if (program.includes('/') && !/^\/(?:usr\/)?bin\/[^/]+$/.test(program)) return isInWorkspace && inside([program]);
  return onlyVersion(args) || (isInWorkspace ? programs : readers).get(posix.basename(program))?.(args) === true;
}
