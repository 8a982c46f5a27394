import { parse, type Command, type Redirection, type SyntaxNode, type Word } from 'unbash';

/** A command whose words are known exactly before it runs. */
export interface PlainCommand {
  /** Program as it is written, and its arguments. */
  readonly words: readonly string[];
  /** Files to which it is redirected. */
  readonly writes: readonly string[];
}

/** Maximum number of characters of a script that is read. */
const maxChars = 10_000;

/**
 * Returns the commands of a script that consists of nothing but commands with literal words, joined by `&&`, `||`, `;`,
 * line ends and pipes; undefined for any other script. An allow rule is only compared with these: variables,
 * substitutions, wildcards, assignments, functions, groups and here-documents can mean anything.
 */
export function plainCommands(source: string): readonly PlainCommand[] | undefined {
  if (source.length > maxChars) return undefined;
  const script = parse(source);
  if (script.errors?.length) return undefined;
  const commands: PlainCommand[] = [];
  for (const statement of script.commands) {
    if (statement.background || !collect(statement.command, commands)) return undefined;
  }
  return commands.length > 0 ? commands : undefined;
}

function collect(node: SyntaxNode, commands: PlainCommand[]): boolean {
  if (node.type === 'AndOr') return node.commands.every((one) => collect(one, commands));
  if (node.type === 'Pipeline')
    return node.prefixes.length === 0 && node.commands.every((one) => collect(one, commands));
  const plain = node.type === 'Command' ? plainCommand(node) : undefined;
  if (plain) commands.push(plain);
  return plain !== undefined;
}

function plainCommand({ name, prefix, args, redirects }: Command): PlainCommand | undefined {
  if (!name || prefix.length > 0) return undefined;
  const words = [name, ...args].map((word) => (word.type === 'Word' ? literalOf(word) : undefined));
  const writes = redirects.map(targetOf);
  if (!words.every((word) => word !== undefined) || !writes.every((file) => file !== undefined)) return undefined;
  // `!x` repeats an earlier command, and a tilde is replaced.
  if (words.some((word) => /^[!~]/.test(word)) || words[0] === '') return undefined;
  return { words, writes: writes.filter((file) => file !== '') };
}

/** Returns the file that a redirection writes, empty for none; undefined for a redirection that is not plain. */
function targetOf(one: Redirection): string | undefined {
  if (one.type !== 'Redirect' || !one.target || one.descriptor?.type === 'FileDescriptorVariable') return undefined;
  const target = literalOf(one.target);
  if (target === undefined) return undefined;
  if (one.operator === '<' || target === '/dev/null') return '';
  if (one.operator === '>&' && /^[12]$/.test(target)) return '';
  return /^(?:>|>>|&>|&>>|>\|)$/.test(one.operator) ? target : undefined;
}

function literalOf({ parts, text: source, value }: Word): string | undefined {
  if (!parts) return source === value ? value : undefined;
  let text = '';
  for (const part of parts) {
    const isQuoted = part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
    if (isQuoted || part.type === 'Literal') text += part.value;
    else if (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal'))
      text += part.parts.map((one) => (one.type === 'Literal' ? one.value : '')).join('');
    else return undefined;
  }
  return text;
}
