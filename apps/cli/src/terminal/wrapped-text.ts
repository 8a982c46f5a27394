import { safeText } from '@varve/events/text';
import { fittingEnd } from './columns.ts';

/** Spaces with which the rows of a list item or of an indented line continue, at most. */
const maxIndent = 16;

/** Number of characters that are wrapped in one step. */
const maxPart = 1000;
/** Maximum number of characters in a row: any number of them may have no width. */
const maxRow = 4000;

/**
 * Wraps text that arrives in pieces at words, and longer words at the end of a row: the rows do not depend on the
 * pieces. A row that is returned never changes, and `rest` is the row that is not complete. Text is made safe first.
 */
export class WrappedText {
  readonly #columns: () => number;
  #row = '';
  /** Blanks of the rows that continue a line; undefined in its first row. */
  #indent: string | undefined;

  /** @param columns Returns the number of columns of a row, which may change. */
  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Returns the start of the row that is not complete. */
  get rest(): string {
    return this.#row.slice(0, fittingEnd(this.#row, this.#width));
  }

  /** Adds a piece, and returns the rows that are complete with it. */
  push(piece: string): readonly string[] {
    const [first = '', ...lines] = safeText(piece).split('\n');
    return [...this.#add(first), ...lines.flatMap((line) => [...this.end(), ...this.#add(line)])];
  }

  /** Returns the last row, and starts a new line. */
  end(): readonly string[] {
    const row = this.#row.trimEnd();
    this.#row = '';
    this.#indent = undefined;
    return [row];
  }

  get #width(): number {
    return Math.max(8, this.#columns());
  }

  #add(text: string): readonly string[] {
    const width = this.#width;
    const rows: string[] = [];
    // A part of a long text is as much as each step copies.
    for (let at = 0; at < text.length || at === 0; at += maxPart) {
      this.#row += text.slice(at, at + maxPart);
      for (let row = this.#nextRow(width); row !== undefined; row = this.#nextRow(width)) {
        if (row !== '') rows.push(row);
      }
    }
    return rows;
  }

  /** Takes the next row that is complete. */
  #nextRow(width: number): string | undefined {
    const end = fittingEnd(this.#row.slice(0, maxRow), width);
    // Blanks are cut when a word follows.
    if (this.#row.slice(end).trim() === '') {
      this.#row = this.#row.slice(0, end + 2);
      return undefined;
    }
    const cut = breakIn(this.#row, end);
    const row = this.#row.slice(0, cut).trimEnd();
    this.#indent ??= indentOf(this.#row, width);
    this.#row = this.#indent + this.#row.slice(cut).trimStart();
    return row;
  }
}

/** Rows that continue a line are indented as its text is, after the mark of a list item. */
function indentOf(line: string, width: number): string {
  const before = /^\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?/.exec(line)?.[0].replaceAll('\t', '    ') ?? '';
  const blanks = ' '.repeat(before.length);
  return blanks.slice(0, Math.min(maxIndent, Math.floor(width / 2)));
}

/** Returns where a row ends of which the characters before `end` fit: at a word or an East Asian character. */
function breakIn(row: string, end: number): number {
  if (/^[\s\u2E80-\uFFDC]/u.test(row.slice(end, end + 2))) return end;
  const words = /^.*[\s\u2E80-\uFFDC]/su.exec(row.slice(0, end))?.[0] ?? '';
  return words.trim() === '' ? end : words.length;
}
