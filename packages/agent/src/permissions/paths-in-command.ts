import { fetches } from '../shell/affected-files.ts';
import { hasName, type ShellCommand } from '../shell/shell-command.ts';
import { locationsOf, normalPath, unresolvedLocationsOf } from '../shell/words/paths.ts';
import { digits, user } from '../shell/words/words.ts';
import { kindOf, type TextKind } from './path-names.ts';

/** Text of a command that may be a path. */
export interface NamedText {
  readonly text: string;
  /** What of it may become other text. */
  readonly most: Exclude<TextKind, 'name'>;
}

/** Returns the words of a command that may be paths, for each directory in which it may run. */
export function pathsIn(command: ShellCommand): readonly string[] {
  const words = [...command.args.flatMap(candidates), ...command.reads, ...command.writes];
  return locatedIn(words, command);
}

function locatedIn(words: readonly string[], { paths }: ShellCommand): readonly string[] {
  return words.flatMap((word) =>
    word === '' ? [] : [...locationsOf(word, paths), ...unresolvedLocationsOf(word, paths), ...inHome(word)],
  );
}

/** Returns a path below the home directory that contains the name of the person: `/home/$USER/.ssh`. */
function inHome(word: string): readonly string[] {
  const rest = word.replace(/^\/+(?:home|Users)\/+/, '');
  return rest !== word && `${rest}/`.startsWith(`${user}/`) ? [normalPath(`~${rest.slice(user.length)}`)] : [];
}

/** Returns what of a command may be a path: its words, its file and those of its redirections. */
export function namedIn(command: ShellCommand): readonly NamedText[] {
  const { args, reads, writes, file, unseenArgs, quotedArgs } = command;
  const unseen = new Set(unseenArgs.map(({ shown }) => shown));
  const all = (words: readonly string[], most: NamedText['most']): readonly NamedText[] =>
    locatedIn(words, command).map((text) => ({ text, most }));
  const isNumbered = (arg: string): boolean =>
    opensNothing(command) && arg.includes(digits) && kindOf(arg.replaceAll(digits, ''), 'wildcards') === 'name';
  const known = args.filter((arg) => !unseen.has(arg) && !isNumbered(arg)).flatMap(candidates);
  const opened = mayOpenUnseen(command) ? [...unseen].flatMap(candidates) : [];
  const found = searches(command) ? quotedArgs.flatMap(lastName) : [];
  const redirected = [...reads, ...writes, file ?? ''];
  return [...all(known, 'wildcards'), ...all(found, 'quoted'), ...all([...opened, ...redirected], 'unseen')];
}

/** Commands whose wildcards also match hidden files, unlike those of the shell. */
const searches = hasName('find', 'fd', 'git', 'grep', 'rg', 'rsync', 'tar', 'zip');

/** Returns the last name of an argument if it begins with a wildcard: `*.env` of `--include=*.env`. */
function lastName(arg: string): readonly string[] {
  const name = arg.slice(Math.max(...['/', '=', ':', ')'].map((end) => arg.lastIndexOf(end))) + 1);
  return /^[*?]/.test(name) && /[^*?]/.test(name) ? [name] : [];
}

/** Reports whether a command opens no file and no connection that an argument names. */
export function opensNothing(command: ShellCommand): boolean {
  // Another program may have the name: `./test`.
  return (command.file === undefined || /^\/(?:usr\/)?bin\/\w+$/.test(command.file)) && printsOrTests(command);
}

/** Commands whose arguments are text, numbers and names that are only looked at. */
const printsOrTests = hasName(
  ':',
  '[',
  'basename',
  'dirname',
  'echo',
  'exit',
  'false',
  'kill',
  'printf',
  'sleep',
  'test',
  'true',
);

/** Reports whether a command may open a file that an argument names which is only known when it runs. */
export function mayOpenUnseen(command: ShellCommand): boolean {
  const { args, unseenArgs } = command;
  // The wildcards in an unquoted variable are those of any directory.
  if (unseenArgs.some(({ isOneWord }) => isOneWord !== true)) return true;
  if (unseenArgs.length === 0 || opensNothing(command)) return false;
  if (!fetches(command)) return true;
  const headers = new Set(args.filter((_, at) => /^(?:-H|--header)$/.test(args[at - 1] ?? '')));
  const hasAddresses = !savesByAddress(command);
  return !unseenArgs.every(({ shown }) =>
    headers.has(shown) ? /^[\w-]+:/.test(shown) : hasAddresses && /^https?:\/\/[\w.:[\]-]/.test(shown),
  );
}

/** Reports whether a command may write a file whose name is the end of an address: `curl -O`. */
function savesByAddress({ name, args }: ShellCommand): boolean {
  if (name === 'curl') return args.some((arg) => /^-[a-zA-Z]*[OJ]|^--remote-/.test(arg));
  return name !== 'wget' || !args.some((arg) => /^-[a-zA-Z]*O|^--(?:output-document|spider)/.test(arg));
}

/** Maximum number of parts of one argument that are compared. */
const maxParts = 16;

/**
 * Returns an argument and what of it may be a path: `--output=PATH`, `of=PATH`, `-tPATH`, `-d@PATH`, `host:PATH`,
 * `PATH:/mount`, `field=@PATH;type=x`, `src=PATH,dst=/x`.
 */
function candidates(arg: string): readonly string[] {
  const attached = [/^-[a-zA-Z]+([/~.].*)$/s, /^-[a-zA-Z]@?(..+)$/s].flatMap((pattern) => pattern.exec(arg)?.[1] ?? []);
  const [, ...rests] = arg.split(/[=:]/, maxParts);
  const pieces = [arg, ...attached].flatMap((text) => text.split(/[=:,;@<"']+/, maxParts));
  const parts = [...attached, ...rests.map((_, at) => rests.slice(at).join(':')), ...pieces];
  // The representative of `$PWD` or `$HOME` follows a host: `file://./x`.
  const local = pieces.flatMap((piece) => /^\/\/\w*([.~](?:\/.*)?)$/s.exec(piece)?.[1] ?? []);
  const words = [...new Set([...parts, ...local])].filter(
    (part) => part !== '' && part !== arg && !part.startsWith('-'),
  );
  return arg.startsWith('-') ? words : [arg, ...words];
}
