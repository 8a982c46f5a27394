/** A table for a terminal: a title, a description, a header and rows of text. */
export interface Table {
  readonly title: string;
  readonly about: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** True if the comparison of two commits failed. */
  readonly isWorse?: boolean;
}

/** Options of the command line, for the tables that have some. */
interface BenchOptions {
  /** Commit that the gate compares with; default the one that the branch started from. */
  readonly against?: string;
  /** Number of files of a workspace. */
  readonly files?: number;
}

/** Measures a subject and returns a table: one file, one line in `tables.ts`. */
export type Bench = (options?: BenchOptions) => Promise<Table>;

/** Formats a table as text, columns aligned, figures right-aligned. */
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

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Returns the value that `percent` of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
