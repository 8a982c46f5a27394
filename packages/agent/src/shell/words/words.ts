import type { BraceExpansionPart, ParsedScript, Redirection, SyntaxNode, Word, WordPart } from 'unbash';
import type { ShellWord, ShellWords } from './shell-word.ts';

/** Returns the possible values of a variable where a node expands it; undefined when they are unknown. */
export type Lookup = (name: string, node: SyntaxNode) => readonly string[] | undefined;

/** Maximum number of values of one word. */
const maxValues = 32;
/** Maximum number of characters of one value: `b=$a$a` doubles it. */
const maxLength = 10_000;

/**
 * Returns the words that a word of the source becomes: several for braces, for a variable with spaces, and for a
 * variable with several possible values.
 */
export function expandWord(word: Word, lookup: Lookup): ShellWords {
  const { parts } = word;
  if (!parts) return [{ text: word.value, shown: word.value, isOneWord: true }];
  const quoted = parts.every(isOneWord) && { isOneWord: true };
  const values = valuesOfParts(parts, lookup);
  if (!values) return [{ text: undefined, shown: word.value, ...quoted }];
  const splits = parts.some(({ type }) => /^(?:Simple|Parameter|Command)Expansion$/.test(type));
  const isOneOf = values.length > 1 && !parts.some(({ type }) => type === 'BraceExpansion');
  const hasBoth = values.length > 1 && !isOneOf && parts.some(isExpansion);
  const texts = splits ? values.flatMap((value) => value.split(/\s+/).filter((text) => text !== '')) : values;
  return texts.map((text): ShellWord => ({
    text,
    shown: text,
    ...quoted,
    ...((isOneOf || hasBoth) && { isOneOf: true }),
  }));
}

/** Returns the possible values of a word that is not split: an assignment, a file of a redirection. */
export function valuesOfWord({ parts, value }: Word, lookup: Lookup): readonly string[] | undefined {
  return parts ? valuesOfParts(parts, lookup) : [value];
}

/** Reports whether a word contains a file pattern, whose matches are known only when the command runs. */
export function hasPattern({ parts = [] }: Word): boolean {
  return parts.some(({ type }) => type === 'Glob' || type === 'ExtendedGlob');
}

/** Reports whether a word contains the result of a command or a calculation. */
export function hasResult({ parts = [] }: Word): boolean {
  return parts.some(
    (part) =>
      part.type === 'CommandExpansion' ||
      part.type === 'ArithmeticExpansion' ||
      part.type === 'ProcessSubstitution' ||
      (part.type === 'DoubleQuoted' &&
        part.parts.some(({ type }) => type === 'CommandExpansion' || type === 'ArithmeticExpansion')),
  );
}

/** Reports whether a part is neither split nor several words, as `"$@"` and `"${a[@]}"` are. */
function isOneWord(part: WordPart): boolean {
  if (part.type !== 'DoubleQuoted') return /^(?:Literal|SingleQuoted|AnsiCQuoted)$/.test(part.type);
  return part.parts.every(({ type, text }) =>
    type !== 'ParameterExpansion' ? text !== '$@' : /^\$\{[A-Za-z_]\w*(?:\[\d+\])?(?:[:%#/^,+=?-][^@]*)?\}$/.test(text),
  );
}

function isExpansion({ type }: WordPart): boolean {
  return type === 'SimpleExpansion' || type === 'ParameterExpansion' || type === 'DoubleQuoted';
}

/**
 * The digits of a number that is not known, next to other text: `file$n` may be `file12`. A pattern of bash, written as
 * people do not write it.
 */
export const digits = '[0-9]**';

/**
 * Returns the values of a word. A value that begins with a digit may be calculated, so within a name it is also a
 * pattern.
 */
function valuesOfParts(parts: readonly WordPart[], lookup: Lookup): readonly string[] | undefined {
  const values = combined(parts, (part) => valuesOfPart(part, lookup));
  if (!values || parts.length === 1) return values;
  const isNumber = (part: WordPart): boolean =>
    /^(?:Arithmetic|Simple|Parameter|Command)Expansion$/.test(part.type) &&
    valuesOfPart(part, lookup)?.some((value) => /^\d/.test(value)) === true;
  if (!parts.some(isNumber)) return values;
  const named = combined(parts, (part) => (isNumber(part) ? [digits] : valuesOfPart(part, lookup)));
  return [...values, ...(named ?? [])];
}

function combined(
  parts: readonly WordPart[],
  valuesOf: (part: WordPart) => readonly string[] | undefined,
): readonly string[] | undefined {
  let values: readonly string[] = [''];
  for (const [at, part] of parts.entries()) {
    const known = valuesOf(part);
    const isAlone = parts.length === 1 || startsWithSlash(parts[at + 1]);
    const next = known && isUnsetOften(part) && !isAlone ? [...known, ''] : known;
    if (!next || values.length * next.length > maxValues) return undefined;
    values = values.flatMap((value) => next.map((end) => value + end));
    if (values.some(({ length }) => length > maxLength)) return undefined;
  }
  return values;
}

/** Reports whether a part is the directory for temporary files, whose variable is rarely set. */
function isUnsetOften(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.length === 1 && part.parts.every(isUnsetOften);
  if (part.type === 'ParameterExpansion') return part.parameter === 'TMPDIR';
  return part.type === 'SimpleExpansion' && part.text === '$TMPDIR';
}

function startsWithSlash(part: WordPart | undefined): boolean {
  return part !== undefined && 'text' in part && /^["']?\//.test(part.text);
}

function valuesOfPart(part: WordPart, lookup: Lookup): readonly string[] | undefined {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') return [part.value];
  if (part.type === 'Glob' || part.type === 'ExtendedGlob') return [part.text];
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return valuesOfParts(part.parts, lookup);
  if (part.type === 'SimpleExpansion') return lookup(part.text.slice(1), part);
  if (part.type === 'ParameterExpansion') return valuesOfParameter(part, lookup);
  if (part.type === 'ArithmeticExpansion') return ['0'];
  if (part.type === 'ProcessSubstitution') return ['/dev/fd/63'];
  return part.type === 'BraceExpansion' ? alternatives(part) : part.script && outputOf(part.script);
}

function valuesOfParameter(
  part: Extract<WordPart, { type: 'ParameterExpansion' }>,
  lookup: Lookup,
): readonly string[] | undefined {
  const { parameter, prefix, index, operation } = part;
  if (prefix === '#') return ['0'];
  if (prefix || (index && !/^(?:[@*]|\d+)$/.test(index.value))) return undefined;
  const known = lookup(parameter, part);
  // An element may be missing.
  const values = known && index && /^\d/.test(index.value) ? [...new Set([...known, ''])] : known;
  if (!operation) return values;
  // Without its end, a relative path is still a relative path.
  if (operation.type !== 'Remove' || !values?.every((value) => /^[\w*][^?[({]*$/.test(value))) return undefined;
  const { operator, operand } = operation;
  const cut = operator.startsWith('%') && operand ? endOf(operand) : undefined;
  // A long end takes long to be compared with the beginning of a wildcard.
  if (!cut || cut.text.length > maxValues) return undefined;
  return [...new Set(values.flatMap((value) => withoutEnd(value, cut, operator)))];
}

/** End of a name that an expansion removes. */
interface End {
  readonly text: string;
  /** True if anything may follow the text: `.*`. */
  readonly isStart: boolean;
}

/** Returns the end that a pattern means; undefined for others than plain text with a star after it. */
function endOf({ parts, value }: Word): End | undefined {
  const [first, star] = parts ?? [];
  if (!parts) return { text: value, isStart: false };
  if (parts.length !== 2 || first?.type !== 'Literal' || star?.type !== 'Glob' || star.text !== '*') return undefined;
  return { text: first.value, isStart: true };
}

/** Returns a value and what it may be without its end. */
function withoutEnd(value: string, { text, isStart }: End, operator: string): readonly string[] {
  const found = !isStart
    ? value.length - text.length
    : operator === '%%'
      ? value.indexOf(text)
      : value.lastIndexOf(text);
  const cut = found >= 0 && value.startsWith(text, found) ? [value.slice(0, found)] : [];
  const star = value.indexOf('*');
  if (star < 0) return [value, ...cut];
  // The end may begin within what a wildcard becomes, or before it: `foo.bak*` may be `foo.bak`.
  const before = value.slice(0, star);
  const starts = Array.from(text, (_, at) => text.slice(0, at + 1)).filter((start) => before.endsWith(start));
  return [value, ...cut, `${before}*`, ...starts.map((start) => before.slice(0, -start.length))];
}

function alternatives({ text }: BraceExpansionPart): readonly string[] | undefined {
  const inner = text.slice(1, -1);
  if (/^-?\d+\.\.-?\d+$/.test(inner)) return numbersOf(inner.split('..'));
  return inner.includes(',') && !/[{}$`'"\\]/.test(inner) ? inner.split(',') : undefined;
}

/** Returns the numbers of a range; of a long one its ends, and a pattern for those between. */
function numbersOf(ends: readonly string[]): readonly string[] {
  const [from = 0, to = 0] = ends.map(Number);
  const count = Math.abs(to - from) + 1;
  if (count > maxValues || ends.some((end) => /^-?0\d/.test(end))) return [...ends, digits];
  return Array.from({ length: count }, (_, at) => String(from < to ? from + at : from - at));
}

/** Representative of the name of the person. */
export const user = 'user';

/** Programs and arguments with which they print a number or one plain word. */
const plainOutput: Readonly<Record<string, RegExp>> = {
  arch: /^$/,
  date: /^(?:-u|--utc|-I\w*|['"]?\+['"]?(?:%[-_0^#]?[A-Za-mo-su-z]|[-.:_TZ])+['"]?)?$/,
  grep: /^-(?=\w*(?: |$))\w*c/,
  hostname: /^$/,
  nproc: /^$/,
  seq: /^[-\d ]+$/,
  uname: /^-?\w*$/,
  wc: /^-\w+$/,
};

/** Arguments with which git prints the name of a commit or a branch. */
const commitOutput =
  /^(?:branch --show-current|rev-parse --abbrev-ref HEAD|merge-base(?: [\w./@~^-]+)+|rev-parse (?:--short )?(?:HEAD|@)[~^\d]*)$/;

/** Returns the text of a quoted here-document, which is the output of `cat <<'EOF'`. */
function hereText(redirects: readonly Redirection[]): readonly string[] | undefined {
  const [one, ...others] = redirects;
  if (one?.type !== 'HereDoc' || others.length > 0 || one.descriptor !== undefined) return undefined;
  return one.operator === '<<' && one.delimiter?.quoted ? [one.body.text.replace(/(?<!\n)\n+$/, '')] : undefined;
}

/** Returns a representative of what a substitution prints, if what it prints is harmless. */
export function outputOf({ commands, errors = [] }: ParsedScript): readonly string[] | undefined {
  const [statement] = commands;
  if (errors.length > 0 || commands.length !== 1 || !statement) return undefined;
  const { command } = statement;
  const last = command.type === 'Pipeline' ? command.commands.at(-1) : command;
  if (last?.type !== 'Command' || !last.name) return undefined;
  const name = last.name.value;
  if (command === last && name === 'cat' && last.args.length === 0) return hereText(last.redirects);
  const args = last.args.map(({ text }) => text).join(' ');
  if (name === 'pwd' || (name === 'git' && args === 'rev-parse --show-toplevel')) return ['.'];
  if (name === 'whoami') return args === '' ? [user] : undefined;
  if (name === 'mktemp') return /^(?:-[dqu]+ ?)*$/.test(args) ? ['/tmp/mktemp'] : undefined;
  if (name === 'git' && commitOutput.test(args)) return ['HEAD'];
  return Object.hasOwn(plainOutput, name) && plainOutput[name]?.test(args) ? ['0'] : undefined;
}
