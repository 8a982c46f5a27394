import { scriptOf, unknown, type NestedCommand, type CommandInput } from './nested-command.ts';
import type { ShellWords } from './shell-word.ts';
import { isStream } from './streams.ts';
import { isVariableName, unknownAssignment } from './special-variables.ts';

type Reader = (args: ShellWords, input: CommandInput) => readonly NestedCommand[];

/** Builtins that run text, change what later commands mean, or evaluate the names of variables. */
const builtins: Readonly<Record<string, Reader>> = {
  '.': sourced,
  '[': testedNames,
  alias: (args) =>
    args.some(({ text, shown }) => text === undefined || shown.includes('=')) ? [later('alias', args)] : [],
  bind: (args) => (args.length > 0 ? [later('bind', args)] : []),
  cd: changedDirectory,
  compgen: (args) => (hasOption(args, /^-\w*[CFW]/) ? [later('compgen', args)] : []),
  complete: (args) => (args.length > 0 ? [later('complete', args)] : []),
  declare: declared,
  enable: (args) => (args.length > 0 ? [later('enable', args)] : []),
  eval: (args) => (args.length > 0 ? [scriptOf('eval', args)] : []),
  export: assignments,
  fc: (args) => (hasOption(args, /^-\w*l/) ? [] : [later('fc', args)]),
  getopts: (args) => names(args.slice(1, 2)),
  hash: (args) => (hasOption(args, /^-\w*p/) ? [later('hash', args)] : []),
  let: (args, { isNumber }) =>
    args.filter(({ text }) => text === undefined || !isNumber(text.replace(/^\w+\W?=/, ''))).map(evaluated),
  local: declared,
  mapfile: (args) => (hasOption(args, /^-\w*C/) ? [later('mapfile', args)] : names(args.slice(-1))),
  printf: (args) => {
    const [first, second] = args;
    if (first && (first.text ?? '-v').startsWith('-v'))
      return first.text === '-v' ? names(second ? [second] : []) : [evaluated(first)];
    return [];
  },
  pushd: changedDirectory,
  read: (args) => names(afterOptions(args, 'adinNptu')),
  readarray: (args) => (hasOption(args, /^-\w*C/) ? [later('readarray', args)] : names(args.slice(-1))),
  readonly: assignments,
  source: sourced,
  test: testedNames,
  trap: (args) => {
    const [first] = args[0]?.text === '--' ? args.slice(1) : args;
    if (!first || /^(?:-|-[lpP].*|)$/.test(first.text ?? 'unknown')) return [];
    return [first.text === undefined ? later('trap', args) : scriptOf('trap', [first])];
  },
  typeset: declared,
  unset: (args) => names(args.filter(({ text }) => !text?.startsWith('-'))),
};

/** Returns what a builtin of the shell runs; undefined for other commands. */
export function commandsOfBuiltin(
  name: string,
  args: ShellWords,
  input: CommandInput,
): readonly NestedCommand[] | undefined {
  return Object.hasOwn(builtins, name) ? builtins[name]?.(args, input) : undefined;
}

function later(name: string, args: ShellWords): NestedCommand {
  return unknown('unknown.later', [name, ...args.map(({ shown }) => shown)].join(' '));
}

function evaluated({ shown }: ShellWords[number]): NestedCommand {
  return unknown('unknown.arithmetic', shown);
}

function hasOption(args: ShellWords, pattern: RegExp): boolean {
  return args.some(({ text }) => text === undefined || pattern.test(text));
}

function names(words: ShellWords): readonly NestedCommand[] {
  return words
    .filter(({ text }) => (text !== undefined && text.startsWith('-') ? false : !isVariableName(text)))
    .map(evaluated);
}

/** Returns the operands, where the options in `valued` take the next word. */
function afterOptions(args: ShellWords, valued: string): ShellWords {
  let at = 0;
  for (; at < args.length && args[at]?.text?.startsWith('-'); at++) {
    const option = args[at]?.text?.slice(-1) ?? '';
    if (valued.includes(option) && option !== 'a') at++;
  }
  return args.slice(at);
}

/** Options of `declare` with which a value or a name is not the one that is written: `declare -n a=b`, `declare -l`. */
const renaming = /^-\w*[nluc]/;

function declared(args: ShellWords): readonly NestedCommand[] {
  return args.some(({ text }) => text !== undefined && renaming.test(text))
    ? [later('declare', args), ...assignments(args)]
    : assignments(args);
}

function assignments(args: ShellWords): readonly NestedCommand[] {
  return args.flatMap(({ text, shown }) => {
    if (text?.startsWith('-')) return [];
    const [, name, value] = /^(\w+)\+?=(.*)$/s.exec(text ?? '') ?? [];
    if (name === undefined) return isVariableName(text) ? [] : [later(shown, [])];
    const found = unknownAssignment(name, value);
    return found ? [{ kind: 'unknown', unknown: found }] : [];
  });
}

function changedDirectory(args: ShellWords): readonly NestedCommand[] {
  const word = args.find(({ text }) => text === undefined || !/^(?:-[LPe@]+|--)$/.test(text));
  return [{ kind: 'directory', path: word ? (word.isOneOf ? undefined : word.text) : '~' }];
}

function sourced([file]: ShellWords): readonly NestedCommand[] {
  if (!file) return [];
  const isInput = file.text === undefined || isStream(file.text);
  return isInput ? [unknown('unknown.input', `source ${file.shown}`)] : [];
}

function testedNames(args: ShellWords): readonly NestedCommand[] {
  return args.flatMap(({ text }, at) => (text === '-v' || text === '-R' ? names(args.slice(at + 1, at + 2)) : []));
}
