import { scriptOf, unknown, type NestedCommand } from './nested-command.ts';
import { shellOptions, type Interpreter } from './interpreters.ts';
import { readAllOptions, readOptions, type OptionList } from '../words/options.ts';
import type { ShellWords } from '../words/shell-word.ts';
import { changesNames } from '../words/special-variables.ts';
import { isStream } from '../words/streams.ts';

/** Returns the script of a shell; a shell that reads its input is unknown. */
export function commandsOfShell(name: string, args: ShellWords): readonly NestedCommand[] {
  const plain = args.map((word) =>
    word.text?.startsWith('+') ? { ...word, text: word.text.replace('+', '-') } : word,
  );
  const read = readOptions(plain, shellOptions);
  if (!read) return [unknown('unknown.option', name)];
  const has = (option: string): boolean => read.options.some((one) => one.name === option);
  if (has('--version') || has('--help')) return [];
  const [first, ...rest] = args.slice(read.at);
  if (read.options.some(({ name: option, value = '' }) => option === '-O' && changesNames.test(value)))
    return [unknown('unknown.later', `${name} -O`)];
  const long = read.options.find((one) => one.name === '--command')?.value;
  if (long !== undefined) return [{ kind: 'script', source: long }];
  if (has('-c')) return first ? [scriptOf(name, [first])] : [];
  if (!first || has('-s') || isStream(first.text)) return [unknown('unknown.input', name)];
  if (first.text === undefined) return [unknown('unknown.command', [name, first, ...rest].map(String).join(' '))];
  return [];
}

/** Modules of Python that run code of their arguments or input. */
const codeModules = /^(?:timeit|code|pdb|asyncio|IPython|cProfile|trace|runpy)$/;

/** Operands that are code: `deno run URL`, `sqlite3 FILE '.shell COMMAND'`. */
const codeOperands: Readonly<Record<string, RegExp>> = {
  bun: /^https?:/,
  deno: /^https?:/,
  sqlite3: /^\.(?:sh|sys)/,
};

/** Returns what is unknown about an interpreter: its code or its input. */
export function commandsOfInterpreter(
  name: string,
  interpreter: Interpreter,
  args: ShellWords,
): readonly NestedCommand[] {
  const { modules = [] } = interpreter;
  const read = readOptions(args.map(asOperand), interpreter.options);
  if (!read) return [unknown('unknown.option', name)];
  const isCode = read.options.some(
    (option) =>
      interpreter.code.includes(option.name) || (option.name === '-m' && codeModules.test(option.value ?? '')),
  );
  if (isCode) return [unknown('unknown.code', name)];
  if (read.options.some((option) => modules.includes(option.name))) return [];
  const file = args[read.at];
  if (!file || isStream(file.text)) return [unknown('unknown.input', name)];
  if (file.text === undefined || file.isOneOf) return [unknown('unknown.command', `${name} ${file.shown}`)];
  const isEval = /^(?:deno|bun)$/.test(name) && /^(?:eval|repl)$/.test(file.text);
  if (/^(?:deno|bun)$/.test(name) && isStream(args[read.at + 1]?.text)) return [unknown('unknown.input', name)];
  const named = Object.hasOwn(codeOperands, name) ? codeOperands[name] : undefined;
  const hasCode = named !== undefined && args.some(({ shown }) => named.test(shown));
  return isEval || hasCode ? [unknown('unknown.code', name)] : [];
}

/** Returns a word of which several texts are possible, and that is no option with this one, as an unknown one. */
function asOperand(word: ShellWords[number]): ShellWords[number] {
  const { text, isOneOf } = word;
  return isOneOf && text !== undefined && /^(?:$|[\w./~])/.test(text) ? { text: undefined, shown: text || '.' } : word;
}

/** Returns what is unknown about a program in the arguments of awk or sed. */
export function commandsOfProgram(
  name: string,
  args: ShellWords,
  list: OptionList,
  runs: (program: string) => boolean,
): readonly NestedCommand[] {
  const read = readAllOptions(args.map(asOperand), list);
  if (!read) return [unknown('unknown.option', name)];
  const named = (names: readonly string[]) => read.options.filter((option) => names.includes(option.name));
  const given = named(['-e', '--expression', '--source']).flatMap(({ value }) => value ?? []);
  const files = named(['-f', '--file', '-E', '--exec']).flatMap(({ value }) => value ?? []);
  if (files.some(isStream)) return [unknown('unknown.input', name)];
  const hasProgram = given.length > 0 || files.length > 0;
  // An empty operand is the suffix of `-i` on macOS.
  const first = read.operands.find(({ text }) => text !== '');
  const isUnseen = !hasProgram && first !== undefined && (first.text === undefined || first.isOneOf === true);
  const programs = [...given, ...(hasProgram || first?.text === undefined ? [] : [first.text])];
  return isUnseen || programs.some(runs) ? [unknown('unknown.code', name)] : [];
}
