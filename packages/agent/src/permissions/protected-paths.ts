import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { RiskVerdict } from '@varve/events/facts';
import { FinishAction, TaskTrackerAction, ThinkAction } from '@varve/events/payloads';
import type { ProposedCall } from '../risk/risk-analyzer.ts';
import { locationsOf } from '../shell/words/paths.ts';
import { deletedFiles, writtenFiles } from '../shell/affected-files.ts';
import { gitCommand, programsOfGit } from '../shell/programs/git-command.ts';
import { isLongOption } from '../shell/words/options.ts';
import { hasName, type ShellCommand } from '../shell/shell-command.ts';
import { callFacts, type CallFacts } from './call-facts.ts';
import { pathsIn } from './paths-in-command.ts';
import { hasPattern, type NamedPath, type PathReader } from './named-paths.ts';
import { mayBeSame } from './path-names.ts';

/** Directories with configuration that an agent runs. */
const directories = ['.varve', '.openhands', '.agents'];
/**
 * Files that agents or git run, below `.git`: the directory itself, its settings and hooks, also of submodules, the
 * file that names another directory for them, and the commands that an interrupted rebase continues with.
 */
const inGit = /^(?:hooks|config(?:\.worktree)?|info|modules|worktrees|commondir|rebase-merge|rebase-apply|sequencer)?$/;
/** Attributes select the programs that filter, merge and compare files. */
const files = ['.mcp.json', '.gitattributes', '.gitconfig', 'git-rebase-todo'];
/** A file of this name makes a directory a repository. As an argument it is the name of a commit. */
const head = 'head';

/** A protected name within other text, such as code in an argument. */
const mentioned =
  /(?:^|[^\w.-])(?:\.(?:varve|openhands|agents)(?![\w-])|\.mcp\.json\b|\.gitattributes\b|git-rebase-todo\b|\.git[\\/]+(?:hooks|config|info|modules|worktrees|commondir|rebase-(?:merge|apply)|sequencer)\b)|\bVARVE_HOME\b|\bcore\.?hookspath\b/i;

/** Programs that only read the files that they name; `git`, `sed` and `find` are read by their arguments. */
const readers = hasName(
  ...'cat ls ll dir head tail less more wc grep egrep fgrep rg ag stat file du tree diff cmp test [ true echo printf basename dirname realpath readlink md5sum sha1sum sha256sum xxd od hexdump jq nl cut sort uniq pwd which column tac'.split(
    ' ',
  ),
);
const gitReaders =
  /^(?:status|diff|log|show|blame|grep|ls-files|check-ignore|check-attr|add|commit|rev-parse|ls-tree|cat-file)$/;

type Finding = RiskVerdict['reasons'][number];

/**
 * Returns why a call may change the configuration that agents or git run, or the files of `extra`, which are absolute:
 * a person is asked about it whatever the policy is. Names are protected whether or not the files exist, in any
 * directory, and through links.
 *
 * Holds for the file tools and for commands that name such a file. What a program does by itself is not seen.
 */
export function protectedFinding(call: ProposedCall, extra: readonly string[]): Finding | undefined {
  const { tool, action } = call;
  if (tool.annotations.readOnlyHint || [FinishAction, TaskTrackerAction, ThinkAction].some((one) => one.is(action)))
    return undefined;
  if ('command' in action && action['command'] === 'view') return undefined;
  const facts = callFacts(call);
  const known = new Map<string, boolean>();
  const isProtected = (text: string): boolean => {
    const found = known.get(text) ?? isProtectedPath(facts.reader.named(text), facts.reader, extra);
    known.set(text, found);
    return found;
  };
  const isProtectedFile = (text: string): boolean => isProtected(text) || isHead(text);
  const named = facts.shell
    ? changedBy(facts, { isProtected, isProtectedFile, extra })
    : namedBy(facts, isProtectedFile, extra);
  const isExceeded = facts.reader.isExhausted || facts.shell?.isCut === true;
  const found = named ?? (isExceeded ? 'it names more files than are compared' : undefined);
  return found === undefined
    ? undefined
    : { risk: 'HIGH', rule: 'config.write', text: `It may change what agents or git run: ${found}` };
}

function namedBy(
  { paths, texts, isFileTool, reader }: CallFacts,
  isProtected: (text: string) => boolean,
  extra: readonly string[],
) {
  const path = paths.find((one) => isProtected(one.path));
  if (path) return relative(reader.workspace.path, path.path) || path.path;
  return isFileTool ? undefined : texts.map((text) => mentionIn(text, extra)).find((text) => text !== undefined);
}

/** Tests of paths. */
interface Protection {
  /** For every word of a command that does not only read. */
  readonly isProtected: (text: string) => boolean;
  /** For a file that is written. */
  readonly isProtectedFile: (text: string) => boolean;
  readonly extra: readonly string[];
}

/** Returns the first word of a command that may change a protected file. */
function changedBy({ shell, reader }: CallFacts, { isProtected, isProtectedFile, extra }: Protection) {
  if (!shell) return undefined;
  const mention = (text: string): string | undefined => mentionIn(text, extra);
  for (const command of shell.commands) {
    if (reader.isExhausted) return undefined;
    const one = withoutExclusions(command);
    const locations = (file: string): readonly string[] => locationsOf(file, one.paths);
    const written = [...writtenFiles(one), ...one.writes].flatMap(locations).find(isProtectedFile);
    if (written !== undefined) return `${one.name} ${written}`.trim();
    const around = deletedFiles(one)
      .flatMap(locations)
      .find((file) => isAround(reader.named(file), extra));
    if (around !== undefined) return `${one.name} ${around}`;
    if (onlyReads(one)) continue;
    const word = pathsIn(one).find(isProtected) ?? one.args.map(mention).find((text) => text !== undefined);
    if (word !== undefined) return `${one.name} ${word}`;
    if (setsProgram(one)) return 'git config';
    if (makesBareRepository(one)) return 'git --bare';
  }
  return shell.isComplete ? undefined : mention(shell.source);
}

/** Options whose value is what a command leaves alone. */
const exclusion = /^--(?:exclude|exclude-dir|ignore|ignore-dir|ignore-pattern)(?:=|$)/;

/** Returns a command without the names that it excludes: `tar --exclude=.git`, `zip x.zip -r . -x '.git/*'`. */
function withoutExclusions(one: ShellCommand): ShellCommand {
  const isExcluded = (at: number): boolean => {
    const [before = '', arg = ''] = [one.args[at - 1], one.args[at]];
    if (exclusion.test(arg) || (exclusion.test(before) && !before.includes('='))) return true;
    return (one.name === 'zip' && before === '-x') || (/^fd(?:find)?$/.test(one.name) && before === '-E');
  };
  return { ...one, args: one.args.filter((_, at) => !isExcluded(at)) };
}

/** Returns a protected name within text that is not read: code, or a script for another shell. */
function mentionIn(text: string, extra: readonly string[]): string | undefined {
  return mentioned.exec(text)?.[0].trim() ?? extra.find((path) => path.length > 1 && text.includes(path));
}

/** Reports whether a command changes a setting of git that names a program. */
function setsProgram({ name, args }: ShellCommand): boolean {
  if (name !== 'git') return false;
  const command = gitCommand(args.map((text) => ({ text, shown: text })));
  return command?.name === 'config' && programsOfGit(command).length > 0;
}

/** Reports whether a command creates a repository elsewhere, whose settings and hooks are files like any other. */
function makesBareRepository({ name, args }: ShellCommand): boolean {
  if (name !== 'git') return false;
  const command = gitCommand(args.map((text) => ({ text, shown: text })));
  if (command?.name !== 'init' && command?.name !== 'clone') return false;
  // The hooks of a template are copied, and so are its settings.
  return command.args.some(({ shown }) =>
    ['--bare', '--mirror', '--template', '--separate-git-dir'].some((option) => isLongOption(shown, option)),
  );
}

function onlyReads(one: ShellCommand): boolean {
  if (one.name === 'git') {
    const { name = '', settings = [] } = gitCommand(one.args.map((text) => ({ text, shown: text }))) ?? {};
    return (
      settings.length === 0 && gitReaders.test(name) && !one.args.some((arg) => /^--(?:output|ext-diff)/.test(arg))
    );
  }
  if (writtenFiles(one).length > one.writes.length) return false;
  if (/^g?sed$/.test(one.name)) return one.writes.length === 0;
  if (one.name === 'find') return !one.args.some((arg) => /^-(?:delete|exec|ok|fprint|fls)/.test(arg));
  return readers(one);
}

/** Reports whether a path, as it is written or with links resolved, is protected. */
function isProtectedPath(named: NamedPath, reader: PathReader, extra: readonly string[]): boolean {
  return [named.path, named.real].some(
    (path) =>
      hasProtectedName(path) ||
      isInBareRepository(path) ||
      extra.some((one) => isBelow(path, one) || isBelow(path, reader.named(one).real)),
  );
}

function hasProtectedName(path: string): boolean {
  const parts = path.split(/[\\/]/).map(plainName);
  return parts.some((part, at) => {
    if (directories.some((name) => mayBe(part, name))) return true;
    if (at === parts.length - 1 && files.some((name) => mayBe(part, name))) return true;
    const next = parts[at + 1] ?? '';
    // The settings of a person: `~/.config/git/config`.
    if (mayBe(part, '.config') && next === 'git' && at + 2 < parts.length) return true;
    return mayBe(part, '.git') && (inGit.test(next) || hasPattern(next));
  });
}

/** Reports whether a file of this name may make a directory a repository. */
function isHead(path: string): boolean {
  return mayBe(plainName(path.split(/[\\/]/).at(-1) ?? ''), head);
}

/** Reports whether a path is a setting or a hook of an existing repository without a working tree. */
function isInBareRepository(path: string): boolean {
  const [, directory] =
    /^(.*)[\\/](?:hooks(?:[\\/][^\\/]*)?|config(?:\.worktree)?|commondir|info[\\/]attributes)$/i.exec(path) ?? [];
  if (directory === undefined || /(?:^|[\\/])\.git$/i.test(directory)) return false;
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(directory, name)));
}

/** Returns a name as file systems compare it that ignore case, invisible characters and certain endings. */
function plainName(part: string): string {
  const plain = part
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Mn}]/gu, '')
    .toLowerCase();
  // Windows ignores dots and blanks at the end, and what follows a colon, and has short names.
  const colon = plain.indexOf(':', 1);
  const name = (colon < 0 ? plain : plain.slice(0, colon)).replace(/(?<=[^. ])[. ]+$/, '');
  return name === 'git~1' ? '.git' : name;
}

/** A wildcard of the shell matches a leading dot only if the pattern has one, and a variable may have any value. */
function mayBe(part: string, name: string): boolean {
  if (part === name) return true;
  const computed = part.search(/[$`]/);
  if (computed > 0) return name.startsWith(part.slice(0, computed));
  if (!hasPattern(part) || !/^(?:\.|[@+!?*]\()/.test(part)) return false;
  return mayBeSame({ text: part, kind: 'unseen' }, { text: name, kind: 'name' }, false);
}

function isAround({ path, real }: NamedPath, extra: readonly string[]): boolean {
  return extra.some((one) => isBelow(one, path) || isBelow(one, real));
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
