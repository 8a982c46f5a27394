// A store with tables keeps a long string once, however many events contain it. The row of an event has the rest of its
// text.

/**
 * Strings of this many UTF-16 units or more are stored apart from the text of their event. For shorter strings the
 * pages of a second table and three indexes would cost more than a second copy.
 */
export const inlineLimit = 32_768;

/** A string taken out of a text, with its position. */
export interface LongString {
  /** Position in the rest, in UTF-16 units; unique among the strings of one text. */
  readonly at: number;
  /** The string as written in the text, with its escapes and without its quotes. */
  readonly string: string;
}

/** A text without its long strings, and those strings. */
export interface SplitText {
  readonly rest: string;
  /** In order of position. */
  readonly strings: readonly LongString[];
}

/**
 * Takes the strings of `limit` UTF-16 units or more out of a JSON text and leaves their quotes. Nothing replaces them,
 * so no text can be mistaken for a split one, and a text that is not JSON is restored exactly too.
 */
export function splitText(text: string, limit: number): SplitText {
  const strings: LongString[] = [];
  let rest = '';
  let copied = 0;
  let next = 0;
  while (text.length - next > limit) {
    const start = text.indexOf('"', next) + 1;
    const end = start > 0 ? endOfString(text, start) : -1;
    if (end < 0) break;
    if (end - start >= limit) {
      rest += text.slice(copied, start);
      strings.push({ at: rest.length, string: text.slice(start, end) });
      copied = end;
    }
    next = end + 1;
  }
  return { rest: rest + text.slice(copied), strings };
}

/** Restores the text that `splitText` split. */
export function joinText({ rest, strings }: SplitText): string {
  let text = '';
  let from = 0;
  for (const { at, string } of strings) {
    text += rest.slice(from, at) + string;
    from = at;
  }
  return text + rest.slice(from);
}

/** Returns the index of the quote that ends a string; -1 if the string does not end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let escape = end;
    while (escape > start && text[escape - 1] === '\\') escape -= 1;
    if ((end - escape) % 2 === 0) return end;
  }
  return -1;
}
