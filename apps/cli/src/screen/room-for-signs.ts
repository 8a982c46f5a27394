import { visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import { stripVTControlCharacters } from 'node:util';

/** Parts of one sign that some terminals draw as signs of their own, of two columns each. */
const joined = /\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic}/gu;

/** Columns to which rows are narrowed at most. */
const leastColumns = 8;

/** Renders rows of a text that also fit into a width where a terminal counts more columns for a sign. */
export function roomyRows(text: string, width: number, render: (columns: number) => string[]): string[] {
  const isPlain = text.search(joined) === -1;
  for (let columns = width; ;) {
    const rows = render(columns);
    const excess = isPlain ? 0 : rows.reduce((most, row) => Math.max(most, excessOf(row, width)), 0);
    if (excess === 0 || columns <= leastColumns) return rows;
    columns = Math.max(leastColumns, Math.floor((columns * width) / (width + excess)));
  }
}

/** Wraps a line into rows that also fit where a terminal counts more columns for a sign. */
export function wrapLine(line: string, width: number): string[] {
  const text = line.replaceAll('\t', '    ');
  return roomyRows(text, width, (columns) => wrapTextWithAnsi(text, columns));
}

/** Returns the columns by which a row with joined signs may exceed a width; the last one is for blanks at its end. */
function excessOf(row: string, width: number): number {
  const text = stripVTControlCharacters(row).trimEnd();
  const count = text.match(joined)?.length ?? 0;
  return count === 0 ? 0 : Math.max(0, visibleWidth(text) + 2 * count - (width - 1));
}
