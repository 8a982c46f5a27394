import { matchAt, readEscape, type EscapeNotation } from './escapes.ts';
import type { JsonLimits } from './exceeded-json-limit.ts';

/** Quotes around a text. */
export interface Quotes {
  readonly open: string;
  readonly close: string;
  /** Default: a backslash is a character like any other. */
  readonly escapes?: EscapeNotation;
}

/** Notation of values in calls. */
export interface LiteralSyntax {
  /** Longer ones first. */
  readonly quotes: readonly Quotes[];
  /** Sign between a key and its value in an object. */
  readonly keySign: ':' | '=';
  /** Values of words. */
  readonly words: Readonly<Record<string, unknown>>;
  /** The comma before a key in quotes may be missing, where it can have been nothing else. */
  readonly mayOmitCommas?: boolean;
  readonly limits: JsonLimits;
}

/** A value that was read, and the position after it. */
export interface Literal<Value = unknown> {
  readonly value: Value;
  readonly end: number;
}

/** An object that was read. */
export type LiteralFields = Literal<Readonly<Record<string, unknown>>>;

/** Reader of values at a position; undefined for anything that is not exactly one value. */
export interface LiteralReader {
  value(at: number): Literal | undefined;
  object(at: number): LiteralFields | undefined;
  /** Reads pairs of a key, the sign and a value, up to the closing sign. */
  fields(at: number, close: string, sign: ':' | '='): LiteralFields | undefined;
  /** Returns the reason and the place of the first value that was not read. */
  problem(): string | undefined;
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const word = /[A-Za-z_][\w-]*/y;
const endOfText = /["']\s*[,}\]]/g;

/** Creates the reader of values in a text. Takes time linear in the length of the text. */
export function literalReader(text: string, syntax: LiteralSyntax): LiteralReader {
  const { limits, keySign } = syntax;
  const path: string[] = [];
  let [depth, values] = [0, 0];
  let problem: string | undefined;
  const fail: Fail = (at, reason) => {
    const place = path.length > 0 ? ` in ${path.join('.')}` : '';
    problem ??= `${at < text.length ? reason : 'the text ends'} at character ${at + 1}${place}`;
  };
  const nested = <Value>(at: number, read: () => Value | undefined): Value | undefined => {
    if (depth >= limits.depth) return fail(at, `there are more than ${limits.depth} levels`);
    depth += 1;
    const result = read();
    depth -= 1;
    return result;
  };
  const quoted = quotedReader(text, syntax.quotes, fail);
  const source: Source = { text, syntax, path, fail, quoted, mayOmitComma: commaRule(text, syntax) };
  const reader: LiteralReader = {
    value(at) {
      values += 1;
      if (values > limits.values) return fail(at, `there are more than ${limits.values} values`);
      const plain = quoted(at) ?? numberAt(source, at) ?? wordAt(source, at);
      if (plain) return plain;
      if (text.startsWith('{', at)) return reader.object(at);
      return text.startsWith('[', at) ? nested(at, () => readList(source, at, reader)) : fail(at, 'there is no value');
    },
    object: (at) =>
      text.startsWith('{', at) ? nested(at, () => reader.fields(at + 1, '}', keySign)) : fail(at, 'there is no object'),
    fields: (from, close, sign) => readFields({ ...source, close, sign }, from, reader),
    problem: () => problem,
  };
  return reader;
}

type Fail = (at: number, reason: string) => undefined;

/** A text that is read. */
interface Source {
  readonly text: string;
  readonly syntax: LiteralSyntax;
  /** Names of the fields around the place that is read. */
  readonly path: string[];
  /** Keeps the first problem. */
  readonly fail: Fail;
  readonly quoted: (at: number) => Literal<string> | undefined;
  /** Returns whether the comma between a value and the next name may be missing. */
  readonly mayOmitComma: (end: number, next: number) => boolean;
}

function numberAt({ text, fail }: Source, at: number): Literal | undefined {
  const digits = matchAt(number, text, at)?.[0];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  return isExact(digits, value) ? { value, end: at + digits.length } : fail(at, 'a number has too many digits');
}

function wordAt({ text, syntax }: Source, at: number): Literal | undefined {
  const name = matchAt(word, text, at)?.[0] ?? '';
  return Object.hasOwn(syntax.words, name) ? { value: syntax.words[name], end: at + name.length } : undefined;
}

function readList({ text, fail }: Source, start: number, reader: LiteralReader): Literal | undefined {
  const items: unknown[] = [];
  for (let at = skipSpace(text, start + 1); ;) {
    if (text.startsWith(']', at)) return { value: items, end: at + 1 };
    const item = reader.value(at);
    if (!item) return undefined;
    items.push(item.value);
    at = skipSpace(text, item.end);
    if (text.startsWith(',', at)) at = skipSpace(text, at + 1);
    else if (!text.startsWith(']', at)) return fail(at, 'there is neither a comma nor a bracket');
  }
}

function readFields(
  source: Source & { readonly close: string; readonly sign: string },
  from: number,
  reader: LiteralReader,
): LiteralFields | undefined {
  const { text, path, fail, close, sign } = source;
  const fields = new Map<string, unknown>();
  let isBare: boolean | undefined;
  for (let at = skipSpace(text, from); ;) {
    if (text.startsWith(close, at)) return { value: Object.fromEntries(fields), end: at + close.length };
    const key = keyAt(source, at);
    const signAt = key && skipSpace(text, key.end);
    if (!key || signAt === undefined || !text.startsWith(sign, signAt)) return fail(at, 'there is no key');
    // A key without quotes after one with quotes may be part of a text whose quotes are not escaped.
    const isName = matchAt(word, text, at) !== null;
    if ((isBare ??= isName) !== isName) return fail(at, 'there is a key in another notation');
    if (fields.has(key.value)) return fail(at, `there is a second ${key.value}`);
    path.push(key.value);
    const value = reader.value(skipSpace(text, signAt + sign.length));
    if (!value) return undefined;
    path.pop();
    fields.set(key.value, value.value);
    at = skipSpace(text, value.end);
    if (text.startsWith(',', at)) at = skipSpace(text, at + 1);
    else if (!text.startsWith(close, at) && !source.mayOmitComma(value.end, at))
      return fail(at, 'there is neither a comma nor the end of the object');
  }
}

function keyAt({ text, quoted }: Source, at: number): Literal<string> | undefined {
  const name = matchAt(word, text, at)?.[0];
  return quoted(at) ?? (name === undefined ? undefined : { value: name, end: at + name.length });
}

/** After a text, quotes and commas may also be part of it, if it can end later. */
function commaRule(text: string, { mayOmitCommas = false }: LiteralSyntax): Source['mayOmitComma'] {
  /** The last place where a text may end, found when it is needed. */
  let lastEnd: number | undefined;
  return (end, next) => {
    if (!mayOmitCommas || !/["']/.test(text.charAt(next))) return false;
    lastEnd ??= [...text.matchAll(endOfText)].at(-1)?.index ?? -1;
    return !/["']/.test(text.charAt(end - 1)) || lastEnd < next;
  };
}

/** Returns a reader of texts in quotes. */
function quotedReader(text: string, quotes: readonly Quotes[], fail: Fail) {
  const pairs = quotes.map((pair) => ({ ...pair, signs: new RegExp(`[${pair.close[0] ?? ''}\\\\]`, 'g') }));
  /** First escape, and first backslash that is none: together they show that no backslash is certain. */
  const found: { isEscape?: boolean; isPlain?: boolean } = {};
  return (at: number): Literal<string> | undefined => {
    const pair = pairs.find(({ open }) => text.startsWith(open, at));
    if (!pair) return undefined;
    const { open, close, escapes, signs } = pair;
    const parts: string[] = [];
    let from = at + open.length;
    for (let next = from; ;) {
      signs.lastIndex = next;
      const sign = signs.exec(text);
      if (!sign) return fail(text.length, '');
      if (text.startsWith(close, sign.index))
        return { value: parts.join('') + text.slice(from, sign.index), end: sign.index + close.length };
      next = signs.lastIndex;
      if (sign[0] !== '\\' || !escapes) continue;
      const escape = readEscape(text, sign.index, escapes);
      if (escape === undefined) return fail(sign.index, 'there is a backslash with more than one meaning');
      if (!close.startsWith(text.charAt(sign.index + 1))) found[escape.isPlain ? 'isPlain' : 'isEscape'] = true;
      if (found.isEscape && found.isPlain) return fail(sign.index, 'there is a backslash with more than one meaning');
      parts.push(text.slice(from, sign.index), escape.value);
      from = next = escape.end;
    }
  };
}

/** Returns whether a number has the digits that were written; with too many of them it would be another one. */
export function isExact(written: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const digits = written.replace('+', '');
  return !/^-?\d+$/.test(digits) || String(value) === digits || BigInt(digits) === BigInt(value);
}

function skipSpace(text: string, at: number): number {
  return at + (matchAt(/\s*/y, text, at)?.[0].length ?? 0);
}
