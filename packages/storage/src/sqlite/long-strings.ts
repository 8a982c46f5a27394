import { createHash } from 'node:crypto';
import type { Statements } from './statements.ts';

/**
 * Strings of so many UTF-16 units or more are kept apart from the text of their event. Below, the pages of a second
 * table and three indexes would cost more than a second copy.
 */
export const inlineLimit = 32_768;

/** A string that was taken out of a text, and where it goes back in. */
export interface LongString {
  /** Place in the rest, in UTF-16 units: no two strings of one text have the same. */
  readonly at: number;
  /** As it stands in the text, escapes and all, without its quotes. */
  readonly string: string;
}

/** A text, taken apart. */
export interface SplitText {
  readonly rest: string;
  /** In order of their places. */
  readonly strings: readonly LongString[];
}

/**
 * Takes the strings of `longest` UTF-16 units or more out of a text of JSON and leaves their quotes. Nothing is put in
 * their place, so no text can look like one that was taken apart, and a text that is no JSON comes back whole, too.
 */
export function splitText(text: string, longest: number): SplitText {
  const strings: LongString[] = [];
  let rest = '';
  let kept = 0;
  let next = 0;
  while (text.length - next > longest) {
    const start = text.indexOf('"', next) + 1;
    const end = start > 0 ? endOfString(text, start) : -1;
    if (end < 0) break;
    if (end - start >= longest) {
      rest += text.slice(kept, start);
      strings.push({ at: rest.length, string: text.slice(start, end) });
      kept = end;
    }
    next = end + 1;
  }
  return { rest: rest + text.slice(kept), strings };
}

/** Where the quote is that ends the string; -1 when there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let escape = end;
    while (escape > start && text[escape - 1] === '\\') escape -= 1;
    if ((end - escape) % 2 === 0) return end;
  }
  return -1;
}

/** Puts the strings back where `splitText` took them out. */
export function joinText({ rest, strings }: SplitText): string {
  let text = '';
  let from = 0;
  for (const { at, string } of strings) {
    text += rest.slice(from, at) + string;
    from = at;
  }
  return text + rest.slice(from);
}

/** Keeps strings that were taken out of an event: each once in the store, under its SHA-256. */
export function insertLongStrings(
  statements: Statements,
  { key, seq }: { readonly key: number; readonly seq: number },
  strings: readonly LongString[],
): void {
  for (const { at, string } of strings) {
    const sha256 = createHash('sha256').update(string).digest();
    const found = statements.blob.get(sha256, string) ?? statements.insertBlob.get(sha256, string);
    statements.insertString.run(key, seq, at, Number(found?.['key']));
  }
}
