import { scriptOf, unknown, type NestedCommand, type CommandInput } from './nested-command.ts';
import { limits } from '../words/limits.ts';
import { readAllOptions, readOptions, type ReadOption } from '../words/options.ts';
import { possibleCommands } from './possible-commands.ts';
import type { ShellWord, ShellWords } from '../words/shell-word.ts';
import { unknownAssignment } from '../words/special-variables.ts';
import type { Wrapper } from './wrappers.ts';

/** Returns the command that a wrapper runs, and what is unknown about it. */
export function commandsOfWrapper(
  name: string,
  wrapper: Wrapper,
  args: ShellWords,
  input: CommandInput,
): readonly NestedCommand[] {
  const length = args.reduce((sum, { shown }) => sum + shown.length, 0);
  if (wrapper.reads && (args.length > limits.items || length > limits.template)) return [unknown('unknown.size', name)];
  // Where only options contain commands, they may follow the operands: `su user -c SCRIPT`.
  const all = wrapper.scripts && wrapper.rest !== 'script' ? readAllOptions(args, wrapper.options) : undefined;
  const read = readOptions(args, wrapper.options);
  if (!read) return [unknown('unknown.option', name), ...possibleCommands(args, input)];
  const options = all ? all.options : read.options;
  if (options.some((option) => wrapper.queries?.includes(option.name))) return [];
  const values = (names: readonly string[] = []): readonly string[] =>
    options.flatMap((option) => (names.includes(option.name) ? (option.value ?? '') : []));
  const directories = values(wrapper.directories).map((path): NestedCommand => ({ kind: 'directory', path }));
  const { assigned, rest } = operandsOf(wrapper, args.slice(read.at));
  const scripts = values(wrapper.scripts).map((source) =>
    scriptOf(name, [{ text: source, shown: source }, ...(wrapper.assigns ? rest : [])]),
  );
  if (scripts.length > 0) return [...directories, ...assigned, ...scripts];
  const needsShell = wrapper.isShell ?? options.some((option) => /^(?:-s|-i|--shell|--login)$/.test(option.name));
  if (rest.length === 0 || wrapper.rest === 'none') {
    return needsShell || wrapper.reads ? [...assigned, ...bareWrapper(name, wrapper, needsShell)] : assigned;
  }
  if (wrapper.rest === 'script') {
    return [...directories, ...assigned, scriptOf(name, wrapper.reads ? withListedItems(rest) : rest)];
  }
  const words = wrapper.reads ? withItems(rest, options, input) : rest;
  return [...directories, ...assigned, { kind: 'words', words }];
}

/** Puts the items after `:::` into the command of `parallel`; without a list they are read and not known. */
function withListedItems(words: ShellWords): ShellWords {
  // The commands are in a file.
  if (words[0]?.text?.startsWith('::::')) return [{ text: undefined, shown: shownOf(words) }];
  const at = words.findIndex(({ text }) => text !== undefined && /^:{3,4}\+?$/.test(text));
  const command = at < 0 ? words : words.slice(0, at);
  const item = '"$ITEM"';
  const items: ShellWords = at < 0 ? [{ text: item, shown: item }] : words.slice(at + 1);
  const listed = items.map(({ text, shown }) => text ?? shown).join(' ');
  const marked = command.some(({ text }) => text?.includes('{}'));
  if (!marked) return [...command, ...items];
  return command.map((word) =>
    word.text === undefined ? word : { ...word, text: word.text.replaceAll('{}', () => listed) },
  );
}

function shownOf(words: ShellWords): string {
  return words.map(({ shown }) => shown).join(' ');
}

/** `xargs` alone prints its input; `su` and `ssh` alone are shells. */
function bareWrapper(name: string, wrapper: Wrapper, needsShell: boolean): readonly NestedCommand[] {
  return needsShell || wrapper.isShell ? [unknown('unknown.input', name)] : [];
}

/** Returns the words after the operands of a wrapper, and what its assignments make unknown. */
function operandsOf(
  wrapper: Wrapper,
  words: ShellWords,
): { readonly assigned: readonly NestedCommand[]; readonly rest: ShellWords } {
  const assigned: NestedCommand[] = [];
  let at = wrapper.operands ?? 0;
  for (; wrapper.assigns && at < words.length; at++) {
    const { text, shown = '' } = words[at] ?? {};
    const [, name, value] = /^(\w+)=(.*)$/s.exec(text ?? shown) ?? [];
    if (name === undefined && text !== '-') break;
    const isKnown = text !== undefined || name === 'PATH';
    const found = name === undefined ? undefined : unknownAssignment(name, isKnown ? value : undefined);
    if (found) assigned.push({ kind: 'unknown', unknown: found });
  }
  return { assigned, rest: words.slice(at) };
}

/** Adds what a command reads to its arguments: the words of the commands before it, and a word that is not known. */
function withItems(words: ShellWords, options: readonly ReadOption[], { items }: CommandInput): ShellWords {
  const mark = options.find(({ name }) => /^(?:-I|-i|--replace|-J)$/.test(name));
  const unseen: ShellWord = { text: undefined, shown: '{}' };
  const added = [...items.filter(({ shown }) => /^[~/.]|\//.test(shown)), unseen];
  if (!mark) return [...words, ...added];
  const value = mark.value === undefined || mark.value === '' ? '{}' : mark.value;
  return words.flatMap((word): ShellWords => {
    if (!word.shown.includes(value)) return [word];
    return word.shown === value ? added : [{ text: undefined, shown: word.shown, isOneWord: true }];
  });
}
