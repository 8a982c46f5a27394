import { revealHidden } from '@varve/events/safe-text';

const bar = '│ ';
/** Bar of a row that continues a line: a comment, for example, ends with its line and not with its row. */
const continued = '│↳';
const indent = '  ';

/**
 * Returns text that a person decides about, for a terminal of this width: every character is visible, each row begins
 * with a bar, and none is wrapped by the terminal, so that no part of the text can pass for text of this program, nor a
 * line for the rest of the one above it.
 */
export function barredRows(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns - bar.length - 1);
  return revealHidden(text)
    .split('\n')
    .flatMap((line) => rowsOf(line, width).map((row, index) => `${index === 0 ? bar : continued}${row}`));
}

/**
 * Returns a line that may quote such text, for a terminal of this width: every character is visible, and rows that
 * continue the line are indented.
 */
export function quotedRows(line: string, columns: number): readonly string[] {
  const width = Math.max(1, columns - indent.length - 1);
  const shown = revealHidden(line).replaceAll('\n', '<000A>');
  return rowsOf(shown, width).map((row, index) => (index === 0 ? row : `${indent}${row}`));
}

/** Splits a line into rows. Characters that may be two columns wide count as two. */
function rowsOf(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const character of line) {
    const columns = character < '\u0300' ? 1 : 2;
    if (used + columns > width && row !== '') {
      rows.push(row);
      row = '';
      used = 0;
    }
    row += character;
    used += columns;
  }
  return [...rows, row];
}
