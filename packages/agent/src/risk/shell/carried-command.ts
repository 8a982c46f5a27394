import { posix } from 'node:path';
import { selectsFiles } from './all-files.ts';
import { carriedByBuiltin } from './builtins.ts';
import { unknown, type Carried, type CommandInput } from './carried.ts';
import { carriedByInterpreter, carriedByProgram, carriedByShell } from './carried-by-interpreter.ts';
import { carriedByWrapper } from './carried-by-wrapper.ts';
import { gitCommand, programsOfGit } from './git-command.ts';
import { awkOptions, editors, inputReaders, interpreterOf, isShell, sedOptions } from './interpreters.ts';
import { isInert, namedPrograms } from './named-programs.ts';
import { possibleCommands } from './possible-commands.ts';
import { awkRuns, sedRuns } from './program-text.ts';
import type { ShellWords } from './shell-word.ts';
import { unseenArguments } from './unseen-arguments.ts';
import { wrapperOf } from './wrappers.ts';

/** Returns what a command runs through its arguments. */
export function carriedBy(name: string, args: ShellWords, input: CommandInput): readonly Carried[] {
  const builtin = carriedByBuiltin(name, args, input);
  if (builtin) return builtin;
  if (isShell(name)) return carriedByShell(name, args);
  const interpreter = interpreterOf(name);
  if (interpreter) return carriedByInterpreter(name, interpreter, args);
  if (/^[gmn]?awk$/.test(name)) return carriedByProgram(name, args, awkOptions, awkRuns);
  if (/^g?sed$/.test(name)) return carriedByProgram(name, args, sedOptions, sedRuns);
  if (name === 'find' || name === 'gfind') return carriedByFind(args);
  if (name === 'git') return carriedByGit(args);
  const commands = Object.hasOwn(editors, name) ? editors[name] : undefined;
  if (commands) return args.some(({ shown }) => commands.test(shown)) ? [unknown('unknown.code', name)] : [];
  const wrapper = wrapperOf(name);
  if (wrapper) return [...namedPrograms(name, args), ...carriedByWrapper(name, wrapper, args, input)];
  const reads = Object.hasOwn(inputReaders, name) ? inputReaders[name] : undefined;
  const isInput =
    input.hasInput && reads !== undefined && (name === 'batch' || args.some(({ shown }) => reads.test(shown)));
  return [
    ...(isInput ? [unknown('unknown.input', name)] : []),
    ...namedPrograms(name, args),
    ...unseenArguments(name, args),
    ...(isInert(name) ? [] : possibleCommands(args, input)),
  ];
}

function carriedByFind(args: ShellWords): readonly Carried[] {
  const start = args.findIndex(({ text }) => text !== undefined && /^[-(!]/.test(text) && !/^-[HLPD]$/.test(text));
  const roots = args.slice(0, start < 0 ? args.length : start);
  const targets = foundFiles(roots.length > 0 ? roots : [{ text: '.', shown: '.' }], args);
  const carried: Carried[] = [];
  for (let index = 0; index < args.length; index++) {
    const { text, shown = '' } = args[index] ?? {};
    if (text === undefined && start >= 0 && index > start && !args[index - 1]?.text?.startsWith('-')) {
      carried.push(unknown('unknown.arguments', `find ${shown}`));
    }
    if (text === undefined || !/^-(?:exec|ok)(?:dir)?$/.test(text)) continue;
    const end = args.findIndex((word, at) => at > index && (word.text === ';' || word.text === '+'));
    if (end < 0) return [...carried, unknown('unknown.syntax', `find ${text}`)];
    const words = args.slice(index + 1, end).flatMap((word) => (word.text === '{}' ? targets : [word]));
    carried.push({ kind: 'words', words });
    index = end;
  }
  return carried;
}

/** Returns what `{}` becomes: files in the directories if some are selected, otherwise also the directories. */
function foundFiles(roots: ShellWords, args: ShellWords): ShellWords {
  if (!selectsFiles(args.map(({ shown }) => shown))) return roots;
  return roots.map((root) => {
    if (root.text === undefined) return root;
    const text = posix.join(root.text, '{}');
    return { ...root, text, shown: text };
  });
}

function carriedByGit(args: ShellWords): readonly Carried[] {
  const command = gitCommand(args);
  if (!command) return [unknown('unknown.option', `git ${args[0]?.shown ?? ''}`)];
  const alias = command.isKnown ? [] : [unknown('unknown.option', `git ${command.name}`)];
  const isUnseen = command.name === 'push' && command.args.some(({ text }) => text === undefined);
  const unseen = isUnseen ? [unknown('unknown.arguments', 'git push')] : [];
  const directories = command.directories.map((path): Carried => ({ kind: 'directory', path }));
  const programs = programsOfGit(command).map((text) => unknown('unknown.program', `git ${command.name} ${text}`));
  return [...directories, ...alias, ...unseen, ...programs];
}
