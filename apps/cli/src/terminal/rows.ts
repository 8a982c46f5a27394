import { revealHidden } from '@varve/events/text';
import type { Output } from './output.ts';

const bar = '│ ';
/** Bar of a row that continues a line: a comment, for example, ends with its line and not with its row. */
const continued = '│↳';
const indent = '  ';

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
 * Returns a line that may quote such text, for a terminal of this width: every character is visible, and rows that
 * continue the line are indented.
 */
export function quotedRows(line: string, columns: number): readonly string[] {
  const width = Math.max(1, columns - indent.length - 1);
  return rowsOf(revealedLine(line), width).map((row, index) => (index === 0 ? row : `${indent}${row}`));
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

/**
 * Splits a line into rows. All but ASCII counts as two columns: terminals differ about other letters, and show those of
 * Latin-1 in two columns, too, when they are set up for East Asian text. A row ends where no such letter fits, whatever
 * follows, so that its text alone shows whether it ends with blanks.
 */
function rowsOf(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let start = 0;
  let at = 0;
  let used = 0;
  for (const character of line) {
    if (used + 2 > width && at > start) {
      rows.push(line.slice(start, at));
      start = at;
      used = 0;
    }
    at += character.length;
    used += character <= '~' ? 1 : 2;
  }
  return [...rows, line.slice(start)];
}
