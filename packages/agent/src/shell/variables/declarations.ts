import type { Command } from 'unbash';
import { later, type NestedCommand } from '../programs/nested-command.ts';
import type { ShellWords } from '../words/shell-word.ts';
import { isVariableName, unknownLater } from '../words/special-variables.ts';
import type { Variables } from './variables.ts';
import { valuesOfWord } from '../words/words.ts';

/**
 * Options of `declare` with which a value or a name is not the one that is written, or is calculated whenever it is
 * assigned: `declare -n a=b`, `declare -l`, `declare -i`.
 */
const renaming = /^-\w*[nluci]/;
/** These, and that with which a value stays when something else is assigned; of `local` no later command sees it. */
const lasting = /^-\w*[nlucir]/;

/** Returns what `declare` and `typeset` make unknown. */
export function declared(args: ShellWords): readonly NestedCommand[] {
  return withOptions('declare', lasting, args);
}

/** Returns what `local` makes unknown. */
export function declaredLocally(args: ShellWords): readonly NestedCommand[] {
  return withOptions('local', renaming, args);
}

function withOptions(name: string, options: RegExp, args: ShellWords): readonly NestedCommand[] {
  const isRenamed = args.some(({ text }) => text !== undefined && options.test(text));
  return [...(isRenamed ? [later(name, args)] : []), ...assignments(args)];
}

/** Returns what the assignments in the arguments of `export` and `readonly` make unknown. */
export function assignments(args: ShellWords): readonly NestedCommand[] {
  const hasArrays = args.some(({ text }) => isArrayOption(text));
  return args.flatMap(({ text, shown }) => {
    if (text?.startsWith('-')) return [];
    const [, name, value] = /^(\w+)\+?=(.*)$/s.exec(text ?? '') ?? [];
    if (name === undefined) return isVariableName(text) ? [] : [later(shown, [])];
    if (hasArrays && elements.test(value ?? '')) return [later(shown, [])];
    const found = unknownLater(name, value);
    return found ? [{ kind: 'unknown', unknown: found }] : [];
  });
}

/** Builtins that assign to arrays. */
const declaring = /^(?:declare|export|local|readonly|typeset)$/;

/** Text in which bash reads the elements of an array, and runs the substitutions: `declare -a x='($(rm -rf y))'`. */
const elements = /^\([^]*[$`]/;

/** Returns the assignments of a command whose value may be such a text. */
export function readElements({ args }: Command, words: ShellWords, variables: Variables): readonly string[] {
  if (!declaring.test(words[0]?.text ?? '')) return [];
  const isDeclared = words.slice(1).some(({ text }) => isArrayOption(text));
  return args.flatMap((arg) => {
    if (arg.type !== 'Assignment' || arg.value.type !== 'Word') return [];
    if (!isDeclared && !variables.isArray(arg.name)) return [];
    const values = valuesOfWord(arg.value, variables.valuesOf);
    return (values?.some((value) => elements.test(value)) ?? true) ? [arg.text] : [];
  });
}

/** Reports whether an option declares arrays. */
function isArrayOption(text: string | undefined): boolean {
  return text !== undefined && /^-\w*[aA]/.test(text);
}
