import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isBelow } from './named-path.ts';

/** Test of the arguments for which a program is harmless. */
export type Accepts = (args: readonly string[]) => boolean;

/** Accepts all arguments. */
export const any: Accepts = () => true;

/** Returns a test for arguments without options that match a pattern: those that run programs or write files. */
export function without(options: RegExp): Accepts {
  return (args) => !args.some((arg) => options.test(arg));
}

/** Returns a test for one of some first words that are no options. */
export function verb(...names: readonly string[]): Accepts {
  const known = new Set(names.flatMap((list) => list.split(' ')));
  return (args) => known.has(args.find((arg) => !arg.startsWith('-')) ?? '');
}

/** Returns a test for arguments that two others accept. */
export function both(first: Accepts, second: Accepts): Accepts {
  return (args) => first(args) && second(args);
}

/** Options with which programs print their version or help, and end. */
export const onlyVersion: Accepts = (args) =>
  args.length > 0 && args.every((arg) => /^(?:-V|-version|--version|--help)$/.test(arg));
/** A script of the workspace, or a module; not code in an argument. */
export const script: Accepts = (args) =>
  /^(?!-)[\w./-]+$/.test(args[0] ?? '') || args[0] === '-m' || args[0] === '--test';
/** The same, or a check of the syntax of one. */
export const scriptOrCheck: Accepts = (args) =>
  script(args) || (/^(?:-[nl]|--check)$/.test(args[0] ?? '') && script(args.slice(1)));
const gitPrograms = /^(?:--ex(?!c|ten)|--output|--textconv|-O|--op|--upl|--config|--unsafe-paths|-x)/;
const gitReads =
  'status diff log show blame grep ls-files ls-tree rev-parse rev-list describe shortlog cat-file check-ignore merge-base reflog';
const gitWrites = 'add commit switch fetch pull init mv merge cherry-pick rebase revert apply';
/** Commands of git that read, or change the workspace and can be undone. */
export const git: Accepts = (args) => {
  if (args[0] === '-C') return inside(args.slice(1, 2)) && git(args.slice(2));
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  if (args.some((arg, index) => gitPrograms.test(arg) || (index < at && arg.startsWith('-c')))) return false;
  const [name, ...rest] = args.slice(at);
  if (`${gitReads} ${gitWrites}`.split(' ').includes(name ?? '')) return true;
  if (name === 'checkout') return rest[0] === '-b' || /^(?:main|master|develop|-)$/.test(rest.join(' '));
  if (name === 'ls-remote') return rest.every((arg) => /^(?:--heads|--tags|[\w.-]+)$/.test(arg));
  if (name === 'format-patch') return rest.every((arg) => /^-\d+$|^\w[\w.~^/]*$/.test(arg));
  if (name === 'branch' || name === 'tag')
    return !rest.some((arg) => /^-[a-zA-Z]*[dDmMfcC]|^--(?:delete|move|force|copy)/.test(arg));
  if (name === 'stash') return /^(?:push|list|show|pop)?$/.test(rest[0] ?? '');
  if (name === 'reset') return !rest.some((arg) => /^--(?:hard|merge|keep)/.test(arg));
  if (name === 'config') {
    const names = rest.filter((arg) => arg !== '--get');
    return names.length === 1 && /^\w+\.\w+$/.test(names[0] ?? '');
  }
  if (name === 'rm') return !rest.some((arg) => /^(?:-\w*f|--force)/.test(arg));
  if (name === 'restore') return rest[0] === '--staged' && !rest.some((arg) => /^(?:-\w*W|--worktree)/.test(arg));
  if (name === 'clean') return rest[0] === '-n' || rest[0] === '--dry-run';
  if (name === 'bisect') return /^(?:start|good|bad|skip|reset|log)$/.test(rest[0] ?? '');
  if (name === 'worktree') return rest[0] === 'list';
  return name === 'remote' && (rest.length === 0 || rest[0] === '-v' || rest[0] === 'show');
};
/** Names of packages of the configured registry, and options that select no other one. */
const packages =
  /^(?:-[DEgOUqP]|--save\S*|--(?:upgrade|immutable|quiet|exact|dev|features)|--frozen-lockfile|--no-\w+|--prefer-offline|@?[a-zA-Z][\w.-]*(?:\/[\w.-]+)?(?:@[\w.^~-]+|[=<>~]=?[\w.]+)?|-r|[\w./-]+\.txt|-e|\.(?:\[\w+\])?)$/;
/** Scripts of the workspace, and packages of the configured registry. */
export const npm: Accepts = (args) => {
  if (/^-[rw]$/.test(args[0] ?? '')) return npm(args.slice(1));
  if (/^(?:--filter|-F|--workspace|--prefix|--dir|--cwd)$/.test(args[0] ?? ''))
    return inside(args.slice(1, 2)) && npm(args.slice(2));
  const [name = 'install', ...rest] = args;
  if (/^(?:build|lint|dev|test|t|run|run-script|start|ls|list|view|info|outdated|why|audit|exec)$/.test(name))
    return true;
  if (name === 'init') return rest.every((arg) => arg === '-y');
  if (name === 'pkg') return rest[0] === 'get';
  return /^(?:install|i|ci|add|uninstall|remove)$/.test(name) && rest.every((arg) => packages.test(arg));
};
/** Packages of the configured index. */
export const pip: Accepts = ([name, ...rest]) =>
  /^(?:list|show|freeze|check)$/.test(name ?? '') || (name === 'install' && rest.every((arg) => packages.test(arg)));
/** Returns a test for one of some first words, or for adding packages. */
export function verbOrAdd(...names: readonly string[]): Accepts {
  const known = verb(...names);
  return (args) => known(args) || (args[0] === 'add' && args.slice(1).every((arg) => packages.test(arg)));
}
/** Programs of the workspace, and packages of the configured index. */
export const uv: Accepts = (args) => (args[0] === 'pip' ? pip(args.slice(1)) : verbOrAdd('run sync lock tree')(args));
/** Programs that a workspace usually contains. */
export const npx: Accepts = ([name, action]) =>
  (name === 'prisma' && /^(?:generate|validate|format)$/.test(action ?? '')) ||
  /^(?:tsc|vitest|jest|eslint|prettier|mocha|playwright|tsx|ts-node|vite|next|biome|oxlint|oxfmt|knip|c8|nyc|ava|tap)$/.test(
    name ?? '',
  );
/** Files inside the workspace: relative, without a way out, no wildcards and no repository. */
export const inside: Accepts = (args) =>
  args.every(
    (arg) =>
      arg.startsWith('-') || (/^(?:\/tmp\/|(?![/~]))[^*?]*$/.test(arg) && !/(?:^|\/)(?:\.\.|\.git)(?:\/|$)/.test(arg)),
  );
/** Lines by number or pattern, or a replacement without flags that run or write something; no second script. */
export const sed: Accepts = (args) => {
  const [text = '', ...files] = args.slice(args.findIndex((arg) => !/^-(?:[nErsze]+|i)$|^$/.test(arg)));
  const [command, , , flags] = text.split(text[1] ?? '');
  const isReplacement = command === 's' && flags !== undefined && /^[gIip\d]*$/.test(flags);
  if (files.some((arg) => arg.startsWith('-'))) return false;
  return inside(files) && (isReplacement || /^(?:\d+|\/[^/]+\/)?(?:,(?:\$|\d+|\/[^/]+\/))?[pd]$/.test(text));
};
/** Comparisons, but no output to files and programs. */
export const awk: Accepts = (args) => !args.some((arg) => /system|getline|\||@|print[^;}\n]*>|^-[^Fv]/.test(arg));
const local =
  /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)|^(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/|$)/;
const curlFlag =
  /^(?:-[sSifIvkLN]+|--(?:silent|show-error|include|fail|head|verbose|insecure|location|compressed|no-buffer))$/;
const curlValue =
  /^(?:-[sSifIvkLN]*[XHdmu]|--(?:request|header|data|data-raw|json|user|max-time|connect-timeout|retry))$/;
/** Requests to servers on this machine, without files. */
export const curl: Accepts = (args) =>
  args.some((arg) => local.test(arg)) &&
  args.every((arg, index) => {
    const isValue = index > 0 && curlValue.test(args[index - 1] ?? '');
    return isValue ? !arg.startsWith('@') : local.test(arg) || curlFlag.test(arg) || curlValue.test(arg);
  });
/** Keys and passwords are below the home directory. */
export const notAroundHome: Accepts = (args) =>
  !args.some((arg) => arg.startsWith('~') || (arg.startsWith('/') && isBelow(homedir(), resolve(arg))));
/** Programs that write files may do so in the workspace, whose files have relative names, but not around it. */
export const notInHome: Accepts = (args) =>
  args
    .map((arg) => arg.replace(/^[^=]*=/, ''))
    .every((arg) => !arg.startsWith('~') && !(arg.startsWith('/') && isBelow(resolve(arg), homedir())));
/** Directories that builds write, and temporary ones, which may be removed with all that is in them. */
const built =
  /^(?:\.\/)?(?:[\w.-]+\/)*(?:node_modules|dist|build|out|target|coverage|\.next|\.turbo|\.cache|\.pytest_cache|\.mypy_cache|__pycache__|\.nyc_output)\/?$|^\/tmp\/[\w.-]+(?:\/[\w./-]*)?$/;
/** Single files, and directories that builds write. */
export const rm: Accepts = (args) => {
  const files = args.filter((arg) => !arg.startsWith('-'));
  if (files.some((file) => file.split('/').includes('..'))) return false;
  if (files.every((file) => built.test(file))) return true;
  return !args.some((arg) => /^-\w*[rR]|^--rec/.test(arg)) && files.every((file) => /^(?![/~])[^*?]+$/.test(file));
};
/** Commands that read, build and start. */
export const docker: Accepts = both(
  verb('ps images logs inspect version info stats top port compose build'),
  (args) =>
    !args.includes('compose') ||
    /^(?:ps|logs|up|down|build|config|images|top|start|stop|restart)$/.test(args[args.indexOf('compose') + 1] ?? ''),
);
