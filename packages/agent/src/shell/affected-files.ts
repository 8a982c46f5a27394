import { sedOptions } from './programs/interpreters.ts';
import { isLongOption, readAllOptions } from './words/options.ts';
import { hasName, type ShellCommand } from './shell-command.ts';

/** Reports whether a command sends a request. */
export const fetches = hasName('curl', 'wget', 'http', 'https', 'xh', 'aria2c', 'fetch');

/** Returns what of an option or argument may be a path: the value of `--output=PATH`, `of=PATH`, `-tPATH`. */
function pathOf(arg: string): string {
  return arg.replace(/^(?:--?[\w-]+=|of=|-[a-zA-Z]+(?=[/~]))/, '');
}

/** Commands whose last argument, or the value of an option, is written. */
const copies = hasName('cp', 'install', 'ln', 'rsync', 'scp', 'ditto');
/** Commands that write all their arguments. */
const writesAll = hasName(
  'tee',
  'mv',
  'touch',
  'truncate',
  'mkdir',
  'mkfifo',
  'patch',
  'dd',
  'sponge',
  'rmdir',
  'unlink',
  'rm',
  'sudoedit',
);
/** Commands that read their first argument and write the others. */
const writesSecond = hasName('uniq', 'xxd');
/** Commands that write the value of an option. */
const writesOption: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[a-zA-Z]*[oDc]|--(?:out|dump|cookie-j|trace(?!-[ic])|etag-s|stderr|libcurl|hsts|alt-svc)|.*%output\{)/,
  file: /^(?:-[a-zA-Z]*C|--comp)/,
  find: /^-f(?:print|ls)/,
  git: /^--ou/,
  history: /^-\w*[aw]/,
  less: /^(?:-[a-zA-Z]*[oO]|--log)/i,
  perl: /^-\w*i/,
  sort: /^(?:-[a-zA-Z]*o|--out)/,
  tar: /^(?:-[a-zA-Z]*[Cf]|(?=[a-zA-Z]*$)[a-zA-Z]*[xcf]|--dir|--file)/,
  tree: /^-[a-zA-Z]*o/,
  unzip: /^-[a-zA-Z]*d/,
  wget: /^(?:-[a-zA-Z]*[OPoa]|--(?:out|dir|append|save-c))/,
};

/** Returns the files that a command writes. */
export function writtenFiles(command: ShellCommand): readonly string[] {
  const { name, args, writes } = command;
  if (copies(command)) {
    const targets = args.filter(
      (arg, at) => /^(?:-\w*t|--target)/.test(arg) || /^(?:-\w*t|--target\S*)$/.test(args[at - 1] ?? ''),
    );
    return [...writes, ...args.filter((arg) => !arg.startsWith('-')).slice(-1), ...targets.map(pathOf)];
  }
  if (writesAll(command)) return [...writes, ...args.map(pathOf)];
  if (/^g?sed$/.test(name))
    return args.some((arg) => /^-[a-zA-Z]*i/.test(arg) || isLongOption(arg, '--in-place'))
      ? [...writes, ...filesOfSed(args)]
      : writes;
  if (writesSecond(command)) return [...writes, ...operandsOf(args).slice(1)];
  return [...writes, ...filesOfOptions(command)];
}

/** Returns the operands of sed that are not its program: `/^import .*x/d` is no file of the system. */
function filesOfSed(args: readonly string[]): readonly string[] {
  const read = readAllOptions(
    args.map((text) => ({ text, shown: text })),
    sedOptions,
  );
  if (!read) return args;
  // An empty operand is the suffix of `-i` on macOS.
  const operands = read.operands.map(({ shown }) => shown).filter((text) => text !== '');
  return read.options.some(({ name }) => /^(?:-[ef]|--expression|--file)$/.test(name)) ? operands : operands.slice(1);
}

/** Returns the files that the options of a command name to write its output, such as `git log --output=FILE`. */
export function filesOfOptions({ name, args }: Pick<ShellCommand, 'name' | 'args'>): readonly string[] {
  const isOutput = name === 'git' && args.some((arg) => arg === 'archive' || arg === 'format-patch');
  const option = isOutput ? /^(?:-o|--ou)/ : Object.hasOwn(writesOption, name) ? writesOption[name] : undefined;
  if (!option) return [];
  return args.filter((arg, at) => option.test(arg) || option.test(args[at - 1] ?? '')).map(pathOf);
}

/** Returns the files that a command deletes. */
export function deletedFiles(command: ShellCommand): readonly string[] {
  const { name, args } = command;
  if (name === 'mv') return args.filter((arg) => !arg.startsWith('-')).slice(0, -1);
  // An empty name is no file: `local tmp; tmp=$(mktemp); rm "$tmp"`.
  if (hasName('rm', 'unlink', 'rmdir', 'truncate')(command)) return operandsOf(args).filter((arg) => arg !== '');
  if (hasName('rimraf', 'trash')(command)) return operandsOf(args);
  if (name === 'rsync') return args.some((arg) => arg.startsWith('--del')) ? operandsOf(args).slice(-1) : [];
  if (name !== 'find' || !args.includes('-delete')) return [];
  const start = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPD]$/.test(arg));
  const roots = args.slice(0, start).filter((arg) => !arg.startsWith('-'));
  return roots.length > 0 ? roots : ['.'];
}

/** Returns the arguments that are not options. */
export function operandsOf(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !arg.startsWith('-'));
}
