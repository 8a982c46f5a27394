import type { ShellWord, ShellWords } from './shell-word.ts';

/** An option of a command, with its value if it has one. */
export interface ReadOption {
  readonly name: string;
  readonly value?: string;
}

/** Options in front of the first operand. */
export interface ReadOptions {
  readonly options: readonly ReadOption[];
  /** Index of the first operand. */
  readonly at: number;
}

/**
 * Options of a command as one text: `-v --verbose -k: --kill-after: -i?`. A colon marks an option that takes a value,
 * and a question mark one whose value can only be attached. `--*` is any other long option, without a value.
 */
export type OptionList = string;

/**
 * Reads the options in front of the first operand, clusters and abbreviations included; undefined for an option that is
 * not in the list or whose value is unknown, since the first operand is then uncertain.
 */
export function readOptions(args: ShellWords, list: OptionList, start = 0): ReadOptions | undefined {
  const known = list.split(' ').filter((one) => one !== '');
  const options: ReadOption[] = [];
  for (let at = start; at < args.length; at++) {
    const word = args[at];
    // A word that starts with a letter is an operand, whatever follows.
    if (word && word.text === undefined && /^[\w./~]/.test(word.shown)) return { options, at };
    if (word?.text === undefined || word.isOneOf) return undefined;
    const { text } = word;
    if (text === '--') return { options, at: at + 1 };
    if (!text.startsWith('-') || text === '-') return { options, at };
    const read = text.startsWith('--') ? longOption(text, known) : shortOptions(text, known);
    if (!read) return undefined;
    // Not spread: a cluster may have more letters than a call has arguments.
    for (const option of read.options) options.push(option);
    if (!read.pending) continue;
    const value = args[++at]?.text;
    if (value === undefined) return undefined;
    options.push({ name: read.pending, value });
  }
  return { options, at: args.length };
}

/** Reads the options anywhere among the operands; undefined like {@link readOptions}. */
export function readAllOptions(
  args: ShellWords,
  list: OptionList,
): { readonly options: readonly ReadOption[]; readonly operands: ShellWords } | undefined {
  const options: ReadOption[] = [];
  const operands: ShellWord[] = [];
  for (let start = 0; start < args.length;) {
    const read = readOptions(args, list, start);
    // A word that is not known may be an operand.
    const at = read ? read.at : args[start]?.text === undefined ? start : undefined;
    if (at === undefined) return undefined;
    for (const option of read?.options ?? []) options.push(option);
    if (at > start && args[at - 1]?.text === '--') return { options, operands: [...operands, ...args.slice(at)] };
    const operand = args[at];
    if (operand) operands.push(operand);
    start = at + 1;
  }
  return { options, operands };
}

interface ReadWord {
  readonly options: readonly ReadOption[];
  /** Option whose value is the next word. */
  readonly pending?: string;
}

function longOption(text: string, known: readonly string[]): ReadWord | undefined {
  const [typed = '', ...rest] = text.split('=');
  const exact = known.filter((one) => one.replace(/[:?]$/, '') === typed);
  const hasOthers = known.includes('--*');
  const found = exact.length > 0 || hasOthers ? exact : known.filter((one) => one.startsWith(typed));
  const [first] = hasOthers && found.length === 0 ? [typed] : found;
  if (first === undefined || new Set(found.map((one) => one.endsWith(':'))).size > 1) return undefined;
  const name = first.replace(/[:?]$/, '');
  if (rest.length > 0) return { options: [{ name, value: rest.join('=') }] };
  return first.endsWith(':') ? { options: [], pending: name } : { options: [{ name }] };
}

function shortOptions(text: string, known: readonly string[]): ReadWord | undefined {
  // `-name` of programs with one dash, such as `find`.
  if (text.length > 2 && known.includes(text)) return { options: [{ name: text }] };
  const options: ReadOption[] = [];
  for (let at = 1; at < text.length; at++) {
    const name = `-${text.charAt(at)}`;
    const rest = text.slice(at + 1);
    if (known.includes(name)) options.push({ name });
    else if (known.includes(`${name}:`)) {
      return rest === '' ? { options, pending: name } : { options: [...options, { name, value: rest }] };
    } else if (known.includes(`${name}?`)) return { options: [...options, { name, value: rest }] };
    else return undefined;
  }
  return { options };
}

/** Reports whether an argument is a long option or an abbreviation of it. */
export function isLongOption(arg: string, name: string): boolean {
  const [typed = ''] = arg.split('=', 1);
  return typed.length > 2 && typed.startsWith('--') && name.startsWith(typed);
}
