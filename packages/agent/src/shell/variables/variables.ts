import type { Assignment, SyntaxNode, Word } from 'unbash';
import { limits } from '../words/limits.ts';
import type { ShellWords } from '../words/shell-word.ts';
import { isVariableName } from '../words/special-variables.ts';
import { user, valuesOfWord } from '../words/words.ts';
import { wrapperOf } from '../programs/wrappers.ts';

type Values = readonly string[] | undefined;

/** Representatives of the values that the shell itself sets. */
const shellVariables: Readonly<Record<string, string>> = {
  HOME: '~',
  PWD: '.',
  TMPDIR: '/tmp',
  USER: user,
  ...Object.fromEntries(
    [
      '?',
      '#',
      '$',
      '!',
      'RANDOM',
      'SECONDS',
      'UID',
      'EUID',
      'PPID',
      'LINENO',
      'COLUMNS',
      'LINES',
      'BASHPID',
      'OPTIND',
      'SRANDOM',
      'HISTCMD',
    ].map((name) => [name, '0']),
  ),
};

/** Variables above that may be empty: `r$!m` is `rm` without a background job. */
const maybeEmpty = new Set(['!', 'USER', 'COLUMNS', 'LINES']);
/** Variables that commands set that are not in their arguments. */
const implicit = /^(?:REPLY|MAPFILE|COPROC|OPTARG|DIRSTACK|FUNCNAME|_|BASH_\w+|OLDPWD)$/;

/** Builtins that assign to the variables in their arguments. */
const readers = new Set(['read', 'mapfile', 'readarray', 'getopts', 'let', 'wait', 'unset']);
/** Those of them that may make arrays. */
const arrayReaders = /^(?:mapfile|readarray)$/;
/** Builtins that assign `NAME=value`. */
const assigners = new Set(['declare', 'export', 'local', 'readonly', 'typeset']);
/** Those that may make a variable of a function, which has no value yet. */
const declarers = /^(?:declare|local|typeset)$/;

/** Reports whether a command is a builtin that assigns `NAME=value`. */
export function isAssigner(name: string): boolean {
  return assigners.has(name);
}

/** Returns the name of the variable whose value, or of the array whose elements a node becomes. */
export function nameOfExpansion(node: SyntaxNode): string | undefined {
  if (node.type === 'SimpleExpansion') return node.text.slice(1);
  if (node.type !== 'ParameterExpansion') return undefined;
  return node.index ? allElementsOf(node.parameter) : node.parameter;
}

/** Returns the name of all elements of an array, as opposed to the first one. */
export function allElementsOf(name: string): string {
  return `${name}[@]`;
}

/** A variable, and the values that it may get; undefined for any value. */
interface Assigned {
  readonly name: string;
  readonly values: readonly (Word | string | undefined)[];
}

/** Returns the variable that a node other than `NAME=value` and a command sets. */
export function assignedBy(node: SyntaxNode): Assigned | undefined {
  if (node.type === 'For') return { name: node.name.value, values: node.wordlist ?? [undefined] };
  if (node.type === 'Select') return { name: node.name.value, values: [undefined] };
  if (node.type === 'Coproc') return node.name && { name: node.name.value, values: ['0'] };
  if (node.type === 'ArithmeticBinary') {
    const { operator, left } = node;
    return left.type === 'ArithmeticWord' && /^[^=!<>]*=$/.test(operator)
      ? { name: left.value, values: ['0'] }
      : undefined;
  }
  if (node.type === 'ParameterExpansion') {
    const { parameter, operation } = node;
    return operation?.type === 'Default' && operation.operator.endsWith('=')
      ? { name: parameter, values: [undefined] }
      : undefined;
  }
  if (node.type !== 'Redirect' && node.type !== 'HereString' && node.type !== 'HereDoc') return undefined;
  const { descriptor } = node;
  return descriptor?.type === 'FileDescriptorVariable' ? { name: descriptor.name, values: ['0'] } : undefined;
}

/** Values that the variables of a script may have, wherever and in whatever order they are assigned. */
export class Variables {
  readonly #assigned = new Map<string, Map<unknown, Word | string | undefined>>();
  /** Expansions that certainly come after an assignment. */
  readonly #certain = new WeakSet<SyntaxNode>();
  readonly #known = new Map<string, Values>();
  readonly #pending = new Set<string>();
  /** Variables that are empty in a function, and keep what they have outside of one: `local a`. */
  readonly #declared = new Set<string>();
  readonly #arrays = new Set<string>();
  /** Number of assignments that added a value. */
  changes = 0;

  /** Adds the assignment that a node makes. */
  add(node: SyntaxNode): void {
    if (node.type === 'Assignment') return this.#assign(node);
    const assigned = assignedBy(node);
    if (assigned) this.#set(assigned.name, assigned.values);
  }

  /** Notes that an expansion certainly comes after an assignment to its variable. */
  addCertain(node: SyntaxNode): void {
    this.#certain.add(node);
  }

  /** Reports whether the shell itself sets a variable. */
  isOwn(name: string): boolean {
    return Object.hasOwn(shellVariables, name);
  }

  /** Reports whether a word is a variable that the shell itself sets: an earlier command may have changed it. */
  isOwnValue({ value }: Word): boolean {
    const [, name] = /^\$\{?([^{}/]+)\}?$/.exec(value) ?? [];
    return name !== undefined && this.isOwn(name);
  }

  /** Adds the assignments that a command makes through its arguments, also after `command` and in other scripts. */
  addCommand(name: string, args: ShellWords): void {
    const isPrint = name === 'printf' && args[0]?.text?.startsWith('-v') === true;
    if (arrayReaders.test(name) || (assigners.has(name) && args.some(({ text }) => /^-\w*[aA]/.test(text ?? ''))))
      for (const { text = '' } of args) this.#array(/^\w*/.exec(text)?.[0] ?? '');
    if (assigners.has(name) || wrapperOf(name)?.assigns) {
      for (const { text = '', shown } of args) {
        const [, variable, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
        if (variable !== undefined) this.#set(variable, [value]);
        else if (declarers.test(name) && isVariableName(shown)) this.#declare(shown);
      }
    } else if (isPrint || readers.has(name)) {
      const words = isPrint ? [{ text: args[0]?.text?.slice(2) }, ...args.slice(1, 2)] : args;
      for (const { text = '' } of words) {
        const [variable] = /^[A-Za-z_]\w*/.exec(text) ?? [];
        if (variable !== undefined) this.#set(variable, [undefined]);
      }
    }
  }

  /** Returns the possible values of a variable at a place of the script; undefined when they are unknown. */
  readonly valuesOf = (name: string, node: SyntaxNode): Values => {
    return this.isOwn(name) || this.#certain.has(node) ? this.assignedTo(name) : undefined;
  };

  /** Returns the values that the script and the shell assign to a variable, at whatever place. */
  readonly assignedTo = (name: string): Values => {
    if (implicit.test(name)) return undefined;
    if (this.#known.has(name)) return this.#known.get(name);
    if (this.#pending.has(name) || this.#pending.size > limits.nestedVariables) return undefined;
    this.#pending.add(name);
    const values = this.#read(name);
    this.#pending.delete(name);
    this.#known.set(name, values);
    return values;
  };

  /** Reports whether a variable is an array somewhere in the script. */
  isArray(name: string): boolean {
    return this.#arrays.has(name);
  }

  /** Reports whether a variable can only be a whole number. */
  readonly isInteger = (name: string): boolean => {
    return this.assignedTo(name)?.every((value) => /^-?\d*$/.test(value)) ?? false;
  };

  #read(name: string): Values {
    const assigned = this.#assigned.get(name)?.values() ?? [];
    const own = this.isOwn(name) ? shellVariables[name] : undefined;
    const values = new Set(own === undefined ? [] : [own]);
    if (maybeEmpty.has(name) || (this.#declared.has(name) && this.#assigned.has(name))) values.add('');
    for (const one of assigned) {
      const more = typeof one === 'object' ? valuesOfWord(one, this.valuesOf) : one === undefined ? undefined : [one];
      if (!more) return undefined;
      for (const value of more) values.add(value);
      if (values.size > 32) return undefined;
    }
    return values.size > 0 ? [...values] : undefined;
  }

  #declare(name: string): void {
    if (this.#declared.has(name)) return;
    this.#declared.add(name);
    this.#known.clear();
    this.changes++;
  }

  #array(name: string): void {
    if (name === '' || this.#arrays.has(name)) return;
    this.#arrays.add(name);
    this.changes++;
  }

  #assign({ name, value, append, index }: Assignment): void {
    if (index || value.type !== 'Word') this.#array(name);
    // Whatever is appended to is not followed.
    if (append) this.#set(name, [undefined]);
    else this.#set(name, value.type === 'Word' ? [value] : value.elements);
  }

  #set(name: string, values: readonly (Word | string | undefined)[]): void {
    const known = this.#assigned.get(name) ?? new Map<unknown, Word | string | undefined>();
    const size = known.size;
    // The same assignment may be read again.
    for (const value of values)
      known.set(typeof value === 'object' ? `word ${value.text}` : value && `text ${value}`, value);
    this.#assigned.set(name, known);
    if (known.size === size) return;
    this.#known.clear();
    this.changes++;
  }
}
