import { skipSpace } from '../function-tags/tags.ts';
import { matchAt } from './scan.ts';

/** Notation of values in calls that are not JSON. */
export interface LiteralSyntax {
  /** Pairs of an opening and a closing quote, longer ones first. */
  readonly quotes: readonly (readonly [string, string])[];
  /** Sign between a key and its value in an object. */
  readonly keySign: ':' | '=';
  /** Values of words. */
  readonly words: Readonly<Record<string, unknown>>;
  /** Texts contain escapes with a backslash. */
  readonly hasEscapes: boolean;
}

/** A value that was read, and the position after it. */
export interface Literal<Value = unknown> {
  readonly value: Value;
  readonly end: number;
}

/** Reader of values at a position; undefined for anything that is not exactly a value. */
export interface LiteralReader {
  value(at: number): Literal | undefined;
  object(at: number): Literal<Readonly<Record<string, unknown>>> | undefined;
  /** Reads `key=value` pairs up to the closing sign. */
  fields(at: number, close: string, sign: ':' | '='): Literal<Readonly<Record<string, unknown>>> | undefined;
}

/** Deeper values are not read. */
const maxDepth = 100;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const word = /[A-Za-z_][\w-]*/y;

/** Creates the reader of values in a text. */
export function literalReader(text: string, syntax: LiteralSyntax): LiteralReader {
  let depth = 0;
  const nested = <Value>(read: () => Literal<Value> | undefined): Literal<Value> | undefined => {
    if (depth >= maxDepth) return undefined;
    depth += 1;
    const result = read();
    depth -= 1;
    return result;
  };
  const reader: LiteralReader = {
    value(at) {
      const quoted = readQuoted(text, at, syntax);
      if (quoted) return quoted;
      if (text.startsWith('{', at)) return reader.object(at);
      if (text.startsWith('[', at)) return nested(() => readList(text, at, reader));
      return readNumberOrWord(text, at, syntax);
    },
    object: (at) => (text.startsWith('{', at) ? nested(() => reader.fields(at + 1, '}', syntax.keySign)) : undefined),
    fields(from, close, sign) {
      const fields = new Map<string, unknown>();
      for (let at = skipSpace(text, from); ;) {
        if (text.startsWith(close, at)) return { value: Object.fromEntries(fields), end: at + close.length };
        const key = readKey(text, at, syntax);
        const signAt = key && skipSpace(text, key.end);
        if (!key || signAt === undefined || !text.startsWith(sign, signAt) || fields.has(key.value)) return undefined;
        const value = reader.value(skipSpace(text, signAt + 1));
        if (!value) return undefined;
        fields.set(key.value, value.value);
        at = skipSpace(text, value.end);
        if (text.startsWith(',', at)) at = skipSpace(text, at + 1);
        else if (!text.startsWith(close, at)) return undefined;
      }
    },
  };
  return reader;
}

function readNumberOrWord(text: string, at: number, syntax: LiteralSyntax): Literal | undefined {
  const digits = matchAt(number, text, at)?.[0];
  if (digits !== undefined) {
    const value = Number(digits);
    // A number with too many digits would be another one.
    return /^-?\d+$/.test(digits) && !Number.isSafeInteger(value) ? undefined : { value, end: at + digits.length };
  }
  const name = matchAt(word, text, at)?.[0] ?? '';
  return Object.hasOwn(syntax.words, name) ? { value: syntax.words[name], end: at + name.length } : undefined;
}

function readKey(text: string, at: number, syntax: LiteralSyntax): Literal<string> | undefined {
  const quoted = readQuoted(text, at, syntax);
  if (quoted) return quoted;
  const name = matchAt(word, text, at)?.[0];
  return name === undefined ? undefined : { value: name, end: at + name.length };
}

function readList(text: string, start: number, reader: LiteralReader): Literal<readonly unknown[]> | undefined {
  const items: unknown[] = [];
  for (let at = skipSpace(text, start + 1); ;) {
    if (text.startsWith(']', at)) return { value: items, end: at + 1 };
    const item = reader.value(at);
    if (!item) return undefined;
    items.push(item.value);
    at = skipSpace(text, item.end);
    if (text.startsWith(',', at)) at = skipSpace(text, at + 1);
    else if (!text.startsWith(']', at)) return undefined;
  }
}

function readQuoted(text: string, at: number, { quotes, hasEscapes }: LiteralSyntax): Literal<string> | undefined {
  const pair = quotes.find(([open]) => text.startsWith(open, at));
  if (!pair) return undefined;
  const [open, close] = pair;
  let from = at + open.length;
  if (!hasEscapes) {
    const end = text.indexOf(close, from);
    return end === -1 ? undefined : { value: text.slice(from, end), end: end + close.length };
  }
  const parts: string[] = [];
  for (let next = from; next < text.length;) {
    if (text.startsWith(close, next))
      return { value: parts.join('') + text.slice(from, next), end: next + close.length };
    if (text[next] !== '\\') {
      next += 1;
      continue;
    }
    const escape = readEscape(text, next);
    parts.push(text.slice(from, next), escape.value);
    next = escape.end;
    from = next;
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  0: '\0',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};

/** An unknown escape keeps its backslash, as in Python. */
function readEscape(text: string, at: number): Literal<string> {
  const code = matchAt(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(000[\da-fA-F]{5}|0010[\da-fA-F]{4}))/y, text, at);
  const hex = code?.[1] ?? code?.[2] ?? code?.[3];
  if (code && hex !== undefined)
    return { value: String.fromCodePoint(Number.parseInt(hex, 16)), end: at + code[0].length };
  const sign = text[at + 1] ?? '';
  return { value: escapes[sign] ?? `\\${sign}`, end: at + 1 + sign.length };
}
