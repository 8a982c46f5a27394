/** A table for a terminal: a title, what was measured, a header and rows of text. */
export interface Table {
  readonly title: string;
  readonly about: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Measures something and tells it as a table: one file in `tables/`, one line in `tables.ts`. */
export type Bench = () => Promise<Table>;

/** The table as text, columns aligned, figures to the right. */
export function textOfTable({ title, about, header, rows }: Table): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const aligned = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  return [title, about, '', ...aligned, ''].join('\n');
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
