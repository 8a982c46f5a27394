import { normalPath } from './words/paths.ts';
import { selectsFiles } from './all-files.ts';
import { commandsOfBuiltin } from './builtins.ts';
import { unknown, type NestedCommand, type CommandInput } from './programs/nested-command.ts';
import { commandsOfInterpreter, commandsOfProgram, commandsOfShell } from './programs/interpreter-commands.ts';
import { commandsOfWrapper } from './programs/wrapper-commands.ts';
import { gitCommand, programsOfGit } from './programs/git-command.ts';
import { awkOptions, editors, inputReaders, interpreterOf, isShell, sedOptions } from './programs/interpreters.ts';
import { isInert, namedPrograms } from './programs/named-programs.ts';
import { possibleCommands } from './programs/possible-commands.ts';
import { awkRuns, sedRuns } from './programs/program-text.ts';
import type { ShellWords } from './words/shell-word.ts';
import { unseenArguments } from './programs/unseen-arguments.ts';
import { wrapperOf } from './programs/wrappers.ts';

/** Returns what a command runs through its arguments. */
export function nestedCommands(name: string, args: ShellWords, input: CommandInput): readonly NestedCommand[] {
  const builtin = commandsOfBuiltin(name, args, input);
  if (builtin) return builtin;
  if (isShell(name)) return commandsOfShell(name, args);
  const interpreter = interpreterOf(name);
  if (interpreter) return commandsOfInterpreter(name, interpreter, args);
  if (/^[gmn]?awk$/.test(name)) return commandsOfProgram(name, withAssignments(args), awkOptions, awkRuns);
  if (/^g?sed$/.test(name)) return commandsOfProgram(name, args, sedOptions, sedRuns);
  if (name === 'find' || name === 'gfind') return commandsOfFind(args);
  if (/^fd(?:find)?$/.test(name)) return commandsOfFd(args);
  if (name === 'git') return commandsOfGit(args);
  const isInput = readsCommands(name, args, input);
  const commands = Object.hasOwn(editors, name) ? editors[name] : undefined;
  if (commands)
    return [...isInput, ...(args.some(({ shown }) => commands.test(shown)) ? [unknown('unknown.code', name)] : [])];
  const wrapper = wrapperOf(name);
  if (wrapper) return [...namedPrograms(name, args), ...commandsOfWrapper(name, wrapper, args, input)];
  return [
    ...isInput,
    ...namedPrograms(name, args),
    ...unseenArguments(name, args),
    ...(isInert(name) ? [] : possibleCommands(inContainer(name, args), input)),
  ];
}

/** Makes unknown values of `-v NAME="$VALUE"` known words: awk runs no value. */
function withAssignments(args: ShellWords): ShellWords {
  return args.map((word, at) => {
    const isValue = /^(?:-v|--assign)$/.test(args[at - 1]?.text ?? '') && /^[A-Za-z_]\w*=/.test(word.shown);
    return word.isOneWord && isValue ? { ...word, text: word.shown } : word;
  });
}

/** Returns the arguments without the `exec` of a container tool, which is not the one of the shell. */
function inContainer(name: string, args: ShellWords): ShellWords {
  return /^(?:docker|podman|nerdctl|kubectl|oc)$/.test(name) ? args.filter(({ text }) => text !== 'exec') : args;
}

/** Returns what is unknown about a program that runs what it reads. */
function readsCommands(name: string, args: ShellWords, { hasInput }: CommandInput): readonly NestedCommand[] {
  const reads = Object.hasOwn(inputReaders, name) ? inputReaders[name] : undefined;
  if (!hasInput || !reads) return [];
  const words = args.length > 0 ? args.map(({ shown }) => shown) : [''];
  return words.some((word) => reads.test(word)) ? [unknown('unknown.input', name)] : [];
}

function commandsOfFind(args: ShellWords): readonly NestedCommand[] {
  const start = args.findIndex(({ text }) => text !== undefined && /^[-(!]/.test(text) && !/^-[HLPD]$/.test(text));
  const roots = args.slice(0, start < 0 ? args.length : start);
  const targets = foundFiles(roots.length > 0 ? roots : [{ text: '.', shown: '.' }], args);
  const deletes = args.some(({ text }) => text === '-delete');
  const nested: NestedCommand[] = [];
  for (let index = 0; index < args.length; index++) {
    const { text, shown = '' } = args[index] ?? {};
    // `find "$D" -delete`: any directory.
    const isRoot = index < (start < 0 ? args.length : start) && deletes;
    const isTest = start >= 0 && index > start && !args[index - 1]?.text?.startsWith('-');
    if (text === undefined && (isRoot || isTest)) {
      nested.push(unknown('unknown.arguments', `find ${shown}`));
    }
    if (text === undefined || !/^-(?:exec|ok)(?:dir)?$/.test(text)) continue;
    const end = args.findIndex((word, at) => at > index && (word.text === ';' || word.text === '+'));
    if (end < 0) return [...nested, unknown('unknown.syntax', `find ${text}`)];
    const words = args.slice(index + 1, end).flatMap((word) => (word.text === '{}' ? targets : [word]));
    nested.push({ kind: 'words', words });
    index = end;
  }
  return nested;
}

/** Returns the command that `fd` runs for the files that it finds, which are not known. */
function commandsOfFd(args: ShellWords): readonly NestedCommand[] {
  const option = /^(?:-[01FHILagilpqsu]*[xX]|--exec(?:-batch)?(?:=|$))(.*)$/s;
  const at = args.findIndex(({ text }) => text !== undefined && option.test(text));
  if (at < 0) return [];
  const attached = option.exec(args[at]?.text ?? '')?.[1] ?? '';
  const first = attached === '' ? [] : [{ text: attached, shown: attached }];
  return [{ kind: 'words', words: [...first, ...args.slice(at + 1), { text: undefined, shown: '{}' }] }];
}

/** Returns what `{}` becomes: files in the directories if some are selected, otherwise also the directories. */
function foundFiles(roots: ShellWords, args: ShellWords): ShellWords {
  if (!selectsFiles(args.map(({ shown }) => shown))) return roots;
  return roots.map((root) => {
    if (root.text === undefined) return root;
    const text = normalPath(`${root.text}/{}`);
    return { ...root, text, shown: text };
  });
}

function commandsOfGit(args: ShellWords): readonly NestedCommand[] {
  const command = gitCommand(args);
  if (!command) return [unknown('unknown.option', `git ${args[0]?.shown ?? ''}`)];
  const alias = command.isKnown ? [] : [unknown('unknown.option', `git ${command.name}`)];
  const isUnseen = command.name === 'push' && command.args.some(({ text }) => text === undefined);
  const unseen = isUnseen ? [unknown('unknown.arguments', 'git push')] : [];
  const directories = command.directories.map((path): NestedCommand => ({ kind: 'directory', path }));
  const programs = programsOfGit(command).map((text) => unknown('unknown.program', `git ${command.name} ${text}`));
  return [...directories, ...alias, ...unseen, ...programs];
}
