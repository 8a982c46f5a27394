import { posix } from 'node:path';
import {
  parse,
  type Assignment,
  type Command,
  type CommandArgument,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';

/** A command whose words are known exactly before it runs. */
export interface PlainCommand {
  /** Program as it is written, and its arguments; `env` before variables that are set for a command. */
  readonly words: readonly string[];
  /** Files to which it is redirected. */
  readonly writes: readonly string[];
  /** Files from which it is redirected. */
  readonly reads?: readonly string[];
  /** True if a word may name other files than it spells: through wildcards, or `..` after what may be a link. */
  readonly isOpen?: boolean;
}

/** Maximum number of characters of a script that is read. */
const maxChars = 10_000;

/**
 * Returns the commands of a script that consists of nothing but commands with literal words, joined by `&&`, `||`, `;`,
 * `&`, line ends and pipes; undefined for any other script: variables that are read, substitutions, functions, groups
 * and here-documents can mean anything. Wildcards stay as they are written. What follows `-c` of a shell is a script,
 * whose commands follow that of the shell.
 */
export function plainCommands(source: string): readonly PlainCommand[] | undefined {
  const script = readScript(source);
  const commands: PlainCommand[] = [];
  const isPlain = script?.commands.every(({ command }) => collect(command, commands)) ?? false;
  return isPlain && commands.length > 0 ? commands : undefined;
}

/**
 * Returns the commands whose result is the exit status of a script: those of its last statement, joined by `&&` alone.
 * None if it ends in something else.
 */
export function decidingCommands(source: string): readonly PlainCommand[] {
  const last = readScript(source)?.commands.at(-1);
  if (!last || last.background) return [];
  const nodes = last.command.type === 'AndOr' ? last.command.commands : [last.command];
  if (last.command.type === 'AndOr' && last.command.operators.some((operator) => operator !== '&&')) return [];
  const commands = nodes.map((node) => (node.type === 'Command' ? plainCommand(node) : undefined));
  return commands.every((command) => command !== undefined) ? commands : [];
}

/** Reports whether a script may run a program that is not written in it: by a variable, wildcards, or its input. */
export function hasUnknownProgram(source: string): boolean {
  const nodes: unknown[] = [readScript(source)];
  if (nodes[0] === undefined) return true;
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if (isCommand(node) && !hasKnownProgram(node)) return true;
    nodes.push(...Object.values(node).filter((value) => value !== undefined));
  }
  return false;
}

function isCommand(node: object): node is Command {
  return 'type' in node && node.type === 'Command';
}

function hasKnownProgram({ name, args }: Command): boolean {
  if (!name) return true;
  const program = hasGlob(name) ? undefined : literalOf(name);
  if (program === undefined || program === 'eval') return false;
  // A word that is not known may be any script.
  const words = [program, ...args.map((word) => wordOf(word) ?? '$any')];
  const inner = shellScript(words);
  return inner === undefined ? !isOpenShell(words) : !hasUnknownProgram(inner);
}

function readScript(source: string): ReturnType<typeof parse> | undefined {
  const script = source.length > maxChars ? undefined : parse(source);
  return script?.errors?.length ? undefined : script;
}

function isShell(word: string): boolean {
  return /^(?:ba|da|z|k)?sh$/.test(posix.basename(word));
}

/** Reports whether a command is nothing but a shell with a script, whose commands follow it. */
export function isShellWithScript(words: readonly string[]): boolean {
  return words.length === 3 && isShell(words[0] ?? '') && /^-l?c$/.test(words[1] ?? '');
}

/** Returns the script after `-c` of a shell, anywhere in a command; undefined without one. */
function shellScript(words: readonly string[]): string | undefined {
  const after = words.slice(words.findIndex(isShell) + 1);
  const at =
    after.length === words.length ? -1 : after.findIndex((word) => /^-[a-z]+$/.test(word) && word.includes('c'));
  return at < 0 ? undefined : (after.slice(at + 1).find((word) => !/^[-+]/.test(word)) ?? '');
}

/** Reports whether a command is a shell that reads its commands from its input, or finds a program by wildcards. */
function isOpenShell([program = '', ...args]: readonly string[]): boolean {
  if (isShell(program)) return args.every((arg) => arg.startsWith('-') && !arg.startsWith('--v'));
  return args.some((arg, at) => arg.includes('{}') && /^-(?:exec|ok)(?:dir)?$|^-I./.test(args[at - 1] ?? ''));
}

function collect(node: SyntaxNode, commands: PlainCommand[]): boolean {
  if (node.type === 'AndOr') return node.commands.every((command) => collect(command, commands));
  if (node.type === 'Pipeline')
    return (
      node.prefixes.every(({ type }) => type === 'Time') && node.commands.every((command) => collect(command, commands))
    );
  const plain = node.type === 'Command' ? plainCommand(node) : undefined;
  const script = plain && shellScript(plain.words);
  const inner = script === undefined ? [] : plainCommands(script);
  if (!plain || !inner || (script === undefined && isOpenShell(plain.words))) return false;
  commands.push(plain, ...inner);
  return true;
}

function plainCommand({ name, prefix, args, redirects }: Command): PlainCommand | undefined {
  if (!name) return undefined;
  const variables = prefix.filter((part) => part.type === 'Assignment');
  const words = [...variables, name, ...args].map(wordOf);
  const files = redirects.map(redirectedFile);
  if (!words.every((word) => word !== undefined) || !files.every((file) => file !== undefined)) return undefined;
  if (hasGlob(name)) return undefined;
  // `!x` repeats an earlier command.
  if (words.some((word) => word.startsWith('!')) || words[0] === '') return undefined;
  const parsed = [name, ...args].filter((word) => word.type === 'Word');
  const isOpen = parsed.some((word) => hasGlob(word) || /[^./]\/+\.\.(?:\/|$)/.test(unquotedText(word)));
  const reads = files.flatMap(({ read = [] }) => read);
  return {
    words: variables.length > 0 ? ['env', ...words] : words,
    writes: files.flatMap(({ write = [] }) => write),
    ...(reads.length > 0 && { reads }),
    ...(isOpen && { isOpen }),
  };
}

/** Returns the text of a word, or of a variable with its value. */
function wordOf(word: Word | Assignment | CommandArgument): string | undefined {
  if (word.type === 'Word') return literalOf(word);
  if (word.type !== 'Assignment' || word.append || word.index || word.value.type !== 'Word') return undefined;
  const value = literalOf(word.value);
  return value === undefined ? undefined : `${word.name}=${value}`;
}

/** Returns the file that a redirection reads or writes; undefined for a redirection that is not plain. */
function redirectedFile(redirection: Redirection): { readonly read?: string; readonly write?: string } | undefined {
  if (redirection.type !== 'Redirect' || !redirection.target) return undefined;
  if (redirection.descriptor?.type === 'FileDescriptorVariable') return undefined;
  const target = hasGlob(redirection.target) ? undefined : literalOf(redirection.target);
  if (target === undefined) return undefined;
  if (target === '/dev/null' || (redirection.operator === '>&' && /^[12]$/.test(target))) return {};
  if (redirection.operator === '<') return { read: target };
  return /^(?:>|>>|&>|&>>|>\|)$/.test(redirection.operator) ? { write: target } : undefined;
}

/** Returns the text of a word without its quotes; `~/` stays. Undefined if the shell calculates it. */
function literalOf(word: Word): string | undefined {
  return /^~[^/]/.test(unquotedText(word)) ? undefined : textOf(word);
}

function textOf({ parts, text: source, value }: Word): string | undefined {
  // Outside of quotes a backslash only takes the meaning from the next character.
  if (!parts) return source.replaceAll(/\\(.)/g, '$1') === value ? value : undefined;
  let text = '';
  for (const part of parts) {
    const isQuoted = part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
    if (isQuoted || part.type === 'Literal' || part.type === 'Glob') text += part.value;
    else if (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal'))
      text += part.parts.map((literal) => (literal.type === 'Literal' ? literal.value : '')).join('');
    else return undefined;
  }
  return text;
}

function hasGlob({ parts = [] }: Word): boolean {
  return parts.some(({ type }) => type === 'Glob');
}

/** Returns a word with a NUL for what is quoted. */
function unquotedText({ parts, text }: Word): string {
  return parts ? parts.map((part) => (part.type === 'Literal' ? part.value : '\0')).join('') : text;
}
