import type { IBufferCell, IBufferLine } from '@xterm/headless';

/** Rows of a terminal that are drawn. */
export interface DrawnRows {
  readonly columns: number;
  readonly lines: readonly IBufferLine[];
}

const cell = { width: 8.4, height: 19 };
const margin = 14;
/** Colours of a palette by their number: those that the command uses. */
const palette: Readonly<Record<number, string>> = { 1: '#f47067', 2: '#7fc983', 3: '#e3b341', 6: '#5bc0de' };

/** Text of one style in a row. */
interface Run {
  readonly at: number;
  readonly style: string;
  text: string;
}

/** Draws rows of a terminal as SVG text with their colours, for documents. */
export function svgOf({ columns, lines }: DrawnRows): string {
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = lines.length * cell.height + 2 * margin;
  const rows = lines.flatMap((line, index) => {
    const runs = runsOf(line, columns);
    if (runs.length === 0) return [];
    const y = margin + (index + 0.75) * cell.height;
    const parts = runs.map(({ at, style, text }) => {
      const x = (margin + at * cell.width).toFixed(1);
      return `<tspan x="${x}"${style === '' ? '' : ` style="${style}"`}>${escaped(text)}</tspan>`;
    });
    return [`<text y="${y.toFixed(1)}">${parts.join('')}</text>`];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#d5dbe1;white-space:pre}</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#171b21"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

/** Splits a row into texts of one style; words are placed by their column, whatever the width of the font. */
function runsOf(line: IBufferLine, columns: number): readonly Run[] {
  const runs: Run[] = [];
  let last: Run | undefined;
  for (let column = 0; column < columns; column += 1) {
    const found = line.getCell(column);
    const text = found?.getChars() ?? '';
    if (!found || text === '' || (text === ' ' && !found.isInverse())) {
      last = undefined;
      continue;
    }
    const style = styleOf(found);
    if (last?.style === style) last.text += text;
    else runs.push((last = { at: column, style, text: found.isInverse() && text === ' ' ? '█' : text }));
  }
  return runs;
}

function styleOf(found: IBufferCell): string {
  const colour = found.isFgPalette() ? palette[found.getFgColor()] : undefined;
  return [
    ...(colour === undefined ? [] : [`fill:${colour}`]),
    ...(found.isBold() ? ['font-weight:bold'] : []),
    ...(found.isDim() ? ['fill-opacity:.6'] : []),
    ...(found.isItalic() ? ['font-style:italic'] : []),
    ...(found.isUnderline() ? ['text-decoration:underline'] : []),
  ].join(';');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
