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
  /** True if a word may name other files than it says: through wildcards, or `..` after what may be a link. */
  readonly isOpen?: boolean;
}

/** Maximum number of characters of a script that is read. */
const maxChars = 10_000;

/**
 * Returns the commands of a script that consists of nothing but commands with literal words, joined by `&&`, `||`, `;`,
 * `&`, line ends and pipes; undefined for any other script: variables that are read, substitutions, functions, groups
 * and here-documents can mean anything. Wildcards stay as they are written.
 */
export function plainCommands(source: string): readonly PlainCommand[] | undefined {
  if (source.length > maxChars) return undefined;
  const script = parse(source);
  if (script.errors?.length) return undefined;
  const commands: PlainCommand[] = [];
  for (const statement of script.commands) {
    if (!collect(statement.command, commands)) return undefined;
  }
  return commands.length > 0 ? commands : undefined;
}

function collect(node: SyntaxNode, commands: PlainCommand[]): boolean {
  if (node.type === 'AndOr') return node.commands.every((command) => collect(command, commands));
  if (node.type === 'Pipeline')
    return (
      node.prefixes.every(({ type }) => type === 'Time') && node.commands.every((command) => collect(command, commands))
    );
  const plain = node.type === 'Command' ? plainCommand(node) : undefined;
  if (plain) commands.push(plain);
  return plain !== undefined;
}

function plainCommand({ name, prefix, args, redirects }: Command): PlainCommand | undefined {
  if (!name) return undefined;
  const variables = prefix.filter((part) => part.type === 'Assignment');
  const words = [...variables, name, ...args].map(wordOf);
  const writes = redirects.map(targetOf);
  if (!words.every((word) => word !== undefined) || !writes.every((file) => file !== undefined)) return undefined;
  // `!x` repeats an earlier command.
  if (words.some((word) => word.startsWith('!')) || words[0] === '') return undefined;
  const parsed = [name, ...args].filter((word) => word.type === 'Word');
  const isOpen = parsed.some((word) => hasGlob(word) || /[^./]\/+\.\.(?:\/|$)/.test(unquotedText(word)));
  return {
    words: variables.length > 0 ? ['env', ...words] : words,
    writes: writes.filter((file) => file !== ''),
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

/** Returns the file that a redirection writes, empty for none; undefined for a redirection that is not plain. */
function targetOf(redirection: Redirection): string | undefined {
  if (redirection.type !== 'Redirect' || !redirection.target) return undefined;
  if (redirection.descriptor?.type === 'FileDescriptorVariable') return undefined;
  const target = hasGlob(redirection.target) ? undefined : literalOf(redirection.target);
  if (target === undefined) return undefined;
  if (redirection.operator === '<' || target === '/dev/null') return '';
  if (redirection.operator === '>&' && /^[12]$/.test(target)) return '';
  return /^(?:>|>>|&>|&>>|>\|)$/.test(redirection.operator) ? target : undefined;
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
