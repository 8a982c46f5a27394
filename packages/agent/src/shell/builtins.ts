import { assignments, declared, declaredLocally } from './variables/declarations.ts';
import { later, scriptOf, unknown, type NestedCommand, type CommandInput } from './programs/nested-command.ts';
import type { ShellWords } from './words/shell-word.ts';
import { isStream } from './words/streams.ts';
import { changesNames, isVariableName, unknownLater } from './words/special-variables.ts';

type Reader = (args: ShellWords, input: CommandInput) => readonly NestedCommand[];

/** Builtins that run text, change what later commands mean, or evaluate the names of variables. */
const builtins: Readonly<Record<string, Reader>> = {
  '.': sourced,
  '[': testedNames,
  alias: (args) =>
    args.some(({ text, shown }) => text === undefined || shown.includes('=')) ? [later('alias', args)] : [],
  bind: (args) => (args.length > 0 ? [later('bind', args)] : []),
  cd: changedDirectory,
  compgen: (args) => (hasOption(args, /^-\w*[CFVW]/) ? [later('compgen', args)] : []),
  complete: (args) => (args.length > 0 ? [later('complete', args)] : []),
  declare: declared,
  enable: (args) => (args.length > 0 ? [later('enable', args)] : []),
  eval: (args) => (args.length > 0 ? [scriptOf('eval', args)] : []),
  export: assignments,
  fc: (args) => (hasOption(args, /^-\w*l/) && !hasOption(args, /^-\w*s/) ? [] : [later('fc', args)]),
  getopts: (args) => assignedNames(afterOptions(args, '').slice(1, 2)),
  hash: (args) => (hasOption(args, /^-\w*p/) ? [later('hash', args)] : []),
  jobs: (args) => {
    const at = args.findIndex(({ text }) => text === undefined || /^-\w*x/.test(text));
    return at < 0 ? [] : [{ kind: 'words', words: args.slice(at + (args[at]?.text === undefined ? 0 : 1)) }];
  },
  let: (args, { isNumber }) => [
    ...args.filter(({ text }) => text === undefined || !isNumber(text.replace(/^\w+\W?=/, ''))).map(evaluated),
    ...args.flatMap(({ text = '' }) => special(/^(\w+)\W?=/.exec(text)?.[1], '0')),
  ],
  local: declaredLocally,
  mapfile: mappedLines,
  printf: (args) => {
    const [first, second] = args;
    if (first && (first.text ?? '-v').startsWith('-v'))
      return first.text === '-v' ? assignedNames(second ? [second] : []) : [evaluated(first)];
    return [];
  },
  pushd: changedDirectory,
  read: (args) => [
    ...assignedNames(valuesOfOption(args, readOptions, 'a')),
    ...assignedNames(afterOptions(args, readOptions)),
  ],
  readarray: mappedLines,
  readonly: (args) => [...(hasOperand(args) ? [later('readonly', args)] : []), ...assignments(args)],
  // All later words `NAME=value` become variables of programs: `set -k; export a=ls`.
  set: (args) => {
    const options = args.slice(0, args.length - afterOptions(args, 'o').length);
    return options.some(({ text }) => /^-\w*k|^keyword$/.test(text ?? '')) ? [later('set', args)] : [];
  },
  // Wildcards that match hidden names, and directories that are variables.
  shopt: (args) => (hasOption(args, /^-\w*s/) && hasOption(args, changesNames) ? [later('shopt', args)] : []),
  source: sourced,
  test: testedNames,
  trap: (args) => {
    const [first] = args[0]?.text === '--' ? args.slice(1) : args;
    if (!first || /^(?:-|-[lpP].*|)$/.test(first.text ?? 'unknown')) return [];
    // With extdebug, a script that fails before each command skips it.
    const isUnknown = first.text === undefined || hasOption(args, /^(?:SIG)?DEBUG$/i);
    return [...(isUnknown ? [later('trap', args)] : []), scriptOf('trap', [first])];
  },
  typeset: declared,
  unset: (args) => names(args.filter(({ text }) => !text?.startsWith('-'))),
  wait: (args) => assignedNames(valuesOfOption(args, 'p', 'p'), '0'),
};

/** Returns what a builtin of the shell runs; undefined for other commands. */
export function commandsOfBuiltin(
  name: string,
  args: ShellWords,
  input: CommandInput,
): readonly NestedCommand[] | undefined {
  return Object.hasOwn(builtins, name) ? builtins[name]?.(args, input) : undefined;
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

/** Returns what is unknown when a builtin assigns a value, by default an unknown one, to the variables in words. */
function assignedNames(words: ShellWords, value?: string): readonly NestedCommand[] {
  return [...names(words), ...words.flatMap(({ text }) => special(/^[A-Za-z_]\w*/.exec(text ?? '')?.[0], value))];
}

function special(name: string | undefined, value: string | undefined): readonly NestedCommand[] {
  const found = name === undefined ? undefined : unknownLater(name, value);
  return found ? [{ kind: 'unknown', unknown: found }] : [];
}

/** Options of `read` that have a value. */
const readOptions = 'adinNptu';

/** Returns the operands, where the options in `valued` have a value: the rest of their word, or the next word. */
function afterOptions(args: ShellWords, valued: string): ShellWords {
  let at = 0;
  for (; at < args.length && /^-./.test(args[at]?.text ?? ''); at++) {
    if (args[at]?.text === '--') return args.slice(at + 1);
    if (valueOf(args[at]?.text ?? '', valued)?.attached === '') at++;
  }
  return args.slice(at);
}

/** Returns the values of an option. */
function valuesOfOption(args: ShellWords, valued: string, option: string): ShellWords {
  return args.slice(0, args.length - afterOptions(args, valued).length).flatMap(({ text = '' }, at) => {
    const value = valueOf(text, valued);
    if (value?.option !== option) return [];
    return value.attached === '' ? args.slice(at + 1, at + 2) : [{ text: value.attached, shown: value.attached }];
  });
}

/** Returns the first option of a cluster that has a value, and what follows it in the same word. */
function valueOf(text: string, valued: string): { readonly option: string; readonly attached: string } | undefined {
  if (!text.startsWith('-')) return undefined;
  const at = text.search(new RegExp(`[${valued}]`));
  return at < 0 ? undefined : { option: text.charAt(at), attached: text.slice(at + 1) };
}

function hasOperand(args: ShellWords): boolean {
  return args.some(({ text }) => text === undefined || !text.startsWith('-'));
}

function mappedLines(args: ShellWords): readonly NestedCommand[] {
  if (hasOption(args, /^-\w*C/)) return [later('mapfile', args)];
  return assignedNames(afterOptions(args, 'cCdnOsu').slice(0, 1));
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
