import { columnsOf } from './columns.ts';
import { plainText, styled, type Printable } from './output.ts';

/** Formats a cell of a table. */
type FormatCell = (cell: string) => Printable;

/**
 * Returns the rows of a Markdown table with columns of equal width; undefined for lines that are no table, and for a
 * table that is wider than the terminal.
 */
export function tableRows(text: string, columns: number, format: FormatCell): readonly Printable[] | undefined {
  const lines = text.trimEnd().split('\n').map(cellsOf);
  const [header = [], rule = []] = lines;
  if (rule.length !== header.length || !rule.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  const cells = lines.map((line) => header.map((_, index) => format(line[index] ?? '')));
  const body = cells.filter((_, index) => index !== 1);
  const widths = header.map((_, index) => Math.max(3, ...body.map((line) => widthOf(line[index] ?? ''))));
  const width = widths.reduce((sum, each) => sum + each + 3, 1);
  if (width > columns || lines.some((line) => line.length > header.length)) return undefined;
  return cells.map((line, row) => {
    const parts = line.map((cell, index) => {
      const room = widths[index] ?? 0;
      const end = index === line.length - 1 ? ' |' : ' | ';
      return row === 1 ? ['-'.repeat(room), end] : [cell, ' '.repeat(room - widthOf(cell)), end];
    });
    return ['| ', ...(row === 0 ? parts.map((part) => styled('bold', plainText(part))) : parts)];
  });
}

function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

function widthOf(cell: Printable): number {
  return columnsOf(plainText(cell));
}
