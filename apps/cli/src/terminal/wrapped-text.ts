import { safeText } from '@varve/events/text';
import { columnsOf } from './columns.ts';

/** Spaces with which the rows of a list item or of an indented line continue, at most. */
const maxIndent = 8;

/**
 * Wraps text that arrives in pieces at words. A row that is returned never changes, and `rest` is the row that is not
 * complete. Text is made safe first.
 */
export class WrappedText {
  readonly #columns: () => number;
  #row = '';
  #indent = '';
  #isNewLine = true;

  /** @param columns Returns the number of columns of a row, which may change. */
  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Returns the start of the row that is not complete. */
  get rest(): string {
    return this.#row;
  }

  /** Adds a piece, and returns the rows that are complete with it. */
  push(piece: string): readonly string[] {
    const rows: string[] = [];
    for (const part of safeText(piece).match(/\n|[^\S\n]+|[^\s\u2E80-\uFFDC]+|\S/gu) ?? []) {
      if (part === '\n') rows.push(...this.end());
      else rows.push(...this.#add(part));
    }
    return rows;
  }

  /** Returns the last row, and starts a new line. */
  end(): readonly string[] {
    const row = this.#row.trimEnd();
    this.#row = '';
    this.#isNewLine = true;
    return [row];
  }

  #add(part: string): readonly string[] {
    const width = Math.max(8, this.#columns());
    if (this.#isNewLine) this.#startLine(part);
    const rows: string[] = [];
    let piece = part;
    if (columnsOf(this.#row) + columnsOf(piece) > width && this.#row.trim() !== '') {
      if (piece.trim() === '') {
        rows.push(this.#row.trimEnd());
        this.#row = this.#indent;
        return rows;
      }
      const { row, start } = splitBeforeLastWord(this.#row);
      rows.push(row);
      this.#row = this.#indent + start;
    }
    while (columnsOf(this.#row) + columnsOf(piece) > width) {
      const space = width - columnsOf(this.#row);
      const cut = cutAt(piece, space);
      rows.push(this.#row + piece.slice(0, cut));
      piece = piece.slice(cut);
      this.#row = this.#indent;
    }
    this.#row += piece;
    return rows;
  }

  /** Rows that continue a line are indented as its text is. */
  #startLine(part: string): void {
    this.#isNewLine = false;
    const spaces = part.trim() === '' ? part.replaceAll('\t', '    ') : '';
    this.#indent = spaces.slice(0, maxIndent);
  }
}

/** Splits a row before its last word, to which more is added; a row of one word stays whole. */
function splitBeforeLastWord(row: string): { readonly row: string; readonly start: string } {
  let at = row.length;
  while (at > 0 && !/[\s\u2E80-\uFFDC]/.test(row.charAt(at - 1))) at -= 1;
  if (row.slice(0, at).trim() === '') at = row.length;
  return { row: row.slice(0, at).trimEnd(), start: row.slice(at) };
}

/** Returns the index at which the first columns of a word end; at least one character. */
function cutAt(word: string, columns: number): number {
  let end = 0;
  for (const character of word) {
    if (end > 0 && columnsOf(word.slice(0, end + character.length)) > columns) break;
    end += character.length;
  }
  return end;
}
