import { revealHidden } from '@varve/events/text';
import type { Output } from './output.ts';

const bar = '│ ';
/** Bar of a row that continues a line: a comment, for example, ends with its line and not with its row. */
const continued = '│↳';
const indent = '  ';
/** Start of a row that continues a word of a line. */
const continuedWord = ' ↳';

/**
 * Returns text that a person decides about, for a terminal of this width: each row begins with a bar, and none is
 * wrapped by the terminal, so that no part of the text can pass for text of this program, nor a line for the rest of
 * the one above it. Every character of `revealed` is visible, as `revealHidden` and `callLines` return it.
 */
export function barredRows(revealed: string, columns: number): readonly string[] {
  const width = Math.max(1, columns - bar.length - 1);
  return revealed
    .split('\n')
    .flatMap((line) => rowsOf(line, width).map((row, index) => `${index === 0 ? bar : continued}${row}`));
}

/**
 * Returns a line that may quote such text, for a terminal of this width: every character is visible. It is wrapped at
 * single blanks, and rows that continue it are indented; a row that continues a word, or several blanks, begins with a
 * mark instead, so that no blank is lost from view.
 */
export function quotedRows(line: string, columns: number): readonly string[] {
  const width = Math.max(1, columns - indent.length - 1);
  const text = revealedLine(line);
  const rows: string[] = [];
  let start = 0;
  let mark = '';
  for (let end = rowEnd(text, start, width); end < text.length; end = rowEnd(text, start, width)) {
    const blank = singleBlank(text, { start, end, width });
    rows.push(`${mark}${text.slice(start, blank ?? end)}`);
    start = blank === undefined ? end : blank + 1;
    mark = blank === undefined ? continuedWord : indent;
  }
  return [...rows, `${mark}${text.slice(start)}`];
}

/** Returns the last blank in a row at which it can end: one between two words, of which the second fits into a row. */
function singleBlank(
  text: string,
  { start, end, width }: { readonly start: number; readonly end: number; readonly width: number },
): number | undefined {
  const blank = start + text.slice(start, end + 1).lastIndexOf(' ');
  const next = blank + 1;
  if (blank <= start || text[blank - 1] === ' ' || text[next] === ' ' || next === text.length) return undefined;
  const wordEnd = rowEnd(text, next, width);
  return wordEnd === text.length || text.slice(next, wordEnd + 1).includes(' ') ? blank : undefined;
}

/** Returns text as one line of which every character is visible. */
export function revealedLine(text: string): string {
  return revealHidden(text).replaceAll('\n', '<000A>');
}

/** Letters that are written from right to left, for which some terminals change the order of what is around them. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Returns what a person must know to read the rows above a question: that some terminals show their letters in another
 * order, and that the screen does not show all of them, as its end can look like a whole question.
 */
export function readingHints(rows: readonly string[], { isTTY, columns, rows: height }: Output): readonly string[] {
  const order = rows.some((row) => rightToLeft.test(row))
    ? quotedRows('Letters from right to left: some terminals show rows with them in another order.', columns)
    : [];
  // The question itself is a row, too.
  const count = rows.length + order.length + 1;
  if (!isTTY || count <= height) return order;
  return [...order, ...quotedRows(`There are ${count} rows: scroll up to read all of them.`, columns)];
}

/** Cuts a line, with an ellipsis, so that it has at most this number of columns on any terminal. */
export function firstRow(line: string, columns: number): string {
  if (rowsOf(line, columns).length === 1) return line;
  const [row = ''] = rowsOf(line, Math.max(1, columns - 2));
  return `${row}…`;
}

/** Splits a line into rows. */
function rowsOf(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let start = 0;
  for (let end = rowEnd(line, start, width); end < line.length; end = rowEnd(line, start, width)) {
    rows.push(line.slice(start, end));
    start = end;
  }
  return [...rows, line.slice(start)];
}

/**
 * Returns where a row that starts in a line ends. All but ASCII counts as two columns: terminals differ about other
 * letters, and show those of Latin-1 in two columns, too, when they are set up for East Asian text. A row ends where no
 * such letter fits, whatever follows, so that its text alone shows whether it ends with blanks.
 */
function rowEnd(line: string, start: number, width: number): number {
  let used = 0;
  let at = start;
  for (let code = line.codePointAt(at); code !== undefined; code = line.codePointAt(at)) {
    if (used + 2 > width && at > start) return at;
    at += code > 0xffff ? 2 : 1;
    used += code <= 0x7e ? 1 : 2;
  }
  return line.length;
}
