import { mapStrings } from '../json/map-strings.ts';
import { shortestEncodedLine } from './joined-lines.ts';
import { matcher, type Matcher, type Range } from './matcher.ts';
import { secretSpellings } from './secret-spellings.ts';

/** Options of a redactor. */
export interface RedactorOptions {
  /** Takes the place of each spelling. A text that contains it already is not searched there again. */
  readonly replacement: string | ((spelling: string) => string);
}

/** Returns a value without secrets. */
export type Mask = <Value>(value: Value) => Value;

/** Replaces secrets, in every spelling of {@link secretSpellings}. Does not change its arguments. */
export interface Redactor {
  /** Returns a text without secrets; the same text if it has none. */
  readonly text: (text: string) => string;
  /** As `text`, for the source text of JSON: letters of an escape, as the n of `\n`, are not the start of a secret. */
  readonly jsonText: (json: string) => string;
  /** Returns a JSON value without secrets in its strings; the same value if it has none. Property names stay. */
  readonly value: Mask;
  /** Starts to redact a text that arrives in pieces. */
  readonly stream: () => RedactionStream;
  /** As the redactor, for texts whose lines are counted: the line ends of a secret stay. */
  readonly lines: Pick<Redactor, 'text' | 'stream'>;
}

/** Redacts a text that arrives in pieces. */
export interface RedactionStream {
  /** Returns the redacted text up to the first character that may be part of a spelling; keeps the rest. */
  push(piece: string): string;
  /** Returns the rest. */
  end(): string;
}

/**
 * Compiles secrets once for many texts. Secrets that overlap in a text are replaced as one. Those shorter than four
 * characters are not replaced. Secrets as a function are asked for with each call.
 */
export function redactor(
  secrets: readonly string[] | (() => readonly string[]),
  { replacement }: RedactorOptions,
): Redactor {
  const kept = typeof replacement === 'string' ? replacement : '';
  const current = typeof secrets === 'function' ? latest(secrets, kept) : once(() => compiled(secrets, kept));
  const hide = typeof replacement === 'string' ? () => replacement : replacement;
  const replaced = replacing(hide);
  const replacedInLines = replacing((spelling) => hide(spelling) + lineEndsOf(spelling));
  return {
    text: (text) => replaced(text, current()?.find(text) ?? []),
    jsonText(json) {
      return replaced(json, current()?.find(json, (start) => startInJson(json, start)) ?? []);
    },
    value(value) {
      // Secrets are asked for once for all strings.
      const known = current();
      return known ? mapStrings(value, (text) => replaced(text, known.find(text))) : value;
    },
    stream: () => redactionStream(current, replaced),
    lines: {
      text: (text) => replacedInLines(text, current()?.find(text) ?? []),
      stream: () => redactionStream(current, replacedInLines),
    },
  };
}

/** Returns a text with its ranges replaced. */
type Replace = (text: string, ranges: readonly Range[]) => string;

function replacing(hide: (spelling: string) => string): Replace {
  return (text, ranges) => {
    if (ranges.length === 0) return text;
    let result = '';
    let from = 0;
    for (const { start, end } of ranges) {
      result += text.slice(from, start) + hide(text.slice(start, end));
      from = end;
    }
    return result + text.slice(from);
  };
}

function lineEndsOf(text: string): string {
  return (text.match(/\r\n|[\r\n]/g) ?? []).join('');
}

type Current = () => Matcher | undefined;

function compiled(secrets: readonly string[], kept: string): Matcher | undefined {
  const spellings = secrets.flatMap(secretSpellings);
  return spellings.length === 0 ? undefined : matcher(spellings, kept);
}

/** Compiles with the first text: some milliseconds for many secrets. */
function once(compile: Current): Current {
  let result: { readonly matcher: Matcher | undefined } | undefined;
  return () => (result ??= { matcher: compile() }).matcher;
}

/** Compiles again when the secrets are not those of the call before. */
function latest(secrets: () => readonly string[], kept: string): Current {
  let known: readonly string[] = [];
  let lazyMatcher: Matcher | undefined;
  return () => {
    const now = secrets();
    if (now.length !== known.length || now.some((secret, at) => secret !== known[at])) {
      known = [...now];
      lazyMatcher = compiled(known, kept);
    }
    return lazyMatcher;
  };
}

function redactionStream(current: Current, replaced: Replace): RedactionStream {
  /** Returned already: the letters before a line end show that it is one of encoded text. */
  let before = '';
  let rest = '';
  const replacedRest = (text: string, ranges: readonly Range[], until: number): string => {
    const from = before.length;
    const inside = ranges.flatMap(({ start, end }) =>
      start >= from && end <= until ? [{ start: start - from, end: end - from }] : [],
    );
    before = text.slice(Math.max(0, until - shortestEncodedLine), until);
    rest = text.slice(until);
    return replaced(text.slice(from, until), inside);
  };
  return {
    push(piece) {
      const text = before + rest + piece;
      const secret = current();
      const ranges = secret?.find(text) ?? [];
      const unfinished = Math.max(before.length, secret?.unfinishedFrom(text) ?? text.length);
      // A spelling in which another one starts is replaced together with it.
      const until = ranges.find(({ start, end }) => start < unfinished && unfinished < end)?.start ?? unfinished;
      return replacedRest(text, ranges, until);
    },
    end() {
      const text = before + rest;
      return replacedRest(text, current()?.find(text) ?? [], text.length);
    },
  };
}

/**
 * Returns where a spelling in the text of JSON starts: after the second backslash of an escaped one; undefined for one
 * that starts with the letter of an escape, which is another character.
 */
function startInJson(json: string, start: number): number | undefined {
  let backslashes = start;
  while (json.charCodeAt(backslashes - 1) === 92) backslashes -= 1;
  if ((start - backslashes) % 2 === 0) return start;
  return json.charCodeAt(start) === 92 ? start + 1 : undefined;
}
