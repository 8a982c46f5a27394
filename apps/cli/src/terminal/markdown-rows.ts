import { safeText } from '@varve/events/text';
import type { codeRows } from './highlight.ts';
import { fittingEnd } from './columns.ts';
import { styled, type Printable } from './output.ts';
import { tableRows } from './table-rows.ts';
import { WrappedText } from './wrapped-text.ts';

/** Code, or bold text, in a row. What continues in the next row stays as it is written. */
const spans = /`(?<code>[^`]+)`|(?<![\w*])\*\*(?<bold>\S(?:.*?\S)?)\*\*(?![\w*])/g;

/** Maximum number of characters of a table; a longer one is text. */
const maxTable = 50_000;

/** Maximum number of characters of a line of a table that are shown before the table is complete. */
const maxRest = 1000;

/**
 * Wraps Markdown that arrives in pieces, and styles its headings, code and bold text row by row, so that a row that was
 * printed never changes. Tables have columns of equal width where they fit. Without styles other text stays as it is
 * written.
 */
export class MarkdownRows {
  readonly #rows: WrappedText;
  readonly #highlight: typeof codeRows | undefined;
  readonly #columns: () => number;
  #isLineStart = true;
  #isHeading = false;
  /** Lines of a table, which is formatted at its end. */
  #table = '';
  /** Start of the last line of the table: a copy of all of it for each piece takes the square of its length. */
  #tableRow = '';
  #isRowEnded = true;
  /** The code block that the rows are in. */
  #block: { readonly fence: string; readonly language: string } | undefined;

  /** @param highlight Colours code; absent without colours. */
  constructor(columns: () => number, highlight: typeof codeRows | undefined) {
    this.#columns = columns;
    this.#rows = new WrappedText(columns);
    this.#highlight = highlight;
  }

  /** Returns the start of the row that is not complete, as it is written. */
  get rest(): string {
    const row = this.#tableRow.trimEnd();
    return row === '' ? this.#rows.rest : row.slice(0, fittingEnd(row, this.#columns()));
  }

  /** Adds a piece, and returns the rows that are complete with it. */
  push(piece: string): readonly Printable[] {
    return piece.split(/(?<=\n)/).flatMap((part) => {
      if (part === '') return [];
      if (!this.#isOfTable(part)) return [...this.#endTable(), ...this.#addText(part)];
      const safe = safeText(part);
      this.#table += safe;
      this.#tableRow = ((this.#isRowEnded ? '' : this.#tableRow) + safe).slice(0, maxRest);
      this.#isRowEnded = safe.endsWith('\n');
      return this.#table.length > maxTable ? this.#endTable() : [];
    });
  }

  /** Returns the last row, and starts a new text. */
  end(): readonly Printable[] {
    const table = this.#endTable();
    const isEnded = table.length > 0 && this.#rows.rest === '';
    const rows = isEnded ? [] : this.#add(this.#rows.end(), true);
    this.#block = undefined;
    return [...table, ...rows];
  }

  #addText(part: string): readonly Printable[] {
    return this.#add(this.#rows.push(part), part.endsWith('\n'));
  }

  #isOfTable(part: string): boolean {
    if (!this.#isRowEnded) return true;
    return part.startsWith('|') && this.#rows.rest === '' && !this.#block;
  }

  #endTable(): readonly Printable[] {
    const table = this.#table;
    this.#table = this.#tableRow = '';
    this.#isRowEnded = true;
    if (table === '') return [];
    const format = this.#highlight ? spansOf : (cell: string): string => cell;
    const rows = table.length > maxTable ? undefined : tableRows(table, this.#columns(), format);
    if (!rows) return this.#addText(table);
    this.#isLineStart = true;
    return rows;
  }

  #add(rows: readonly string[], endsLine: boolean): readonly Printable[] {
    const styledRows = rows.map((row) => this.#styled(row));
    if (endsLine) this.#isLineStart = true;
    return styledRows;
  }

  #styled(row: string): Printable {
    const highlight = this.#highlight;
    const isLineStart = this.#isLineStart;
    this.#isLineStart = false;
    const fence = isLineStart ? /^\s*(?<fence>`{3,}|~{3,})\s*(?<language>[\w+#-]*)/.exec(row)?.groups : undefined;
    if (fence && (!this.#block || fence['fence']?.startsWith(this.#block.fence))) {
      this.#block = this.#block ? undefined : { fence: fence['fence'] ?? '', language: fence['language'] ?? '' };
      return highlight ? styled('dim', row) : row;
    }
    if (!highlight) return row;
    if (this.#block) {
      const parts = highlight(row, this.#block.language).flat();
      return parts.map(({ text, style }) => (style ? styled(style, text) : text));
    }
    if (isLineStart) this.#isHeading = /^#{1,6} /.test(row);
    return this.#isHeading ? styled('bold', row.replace(/^#{1,6} /, '')) : spansOf(row);
  }
}

function spansOf(row: string): Printable {
  const parts: Printable[] = [];
  let at = 0;
  for (const { index, groups, ...match } of row.matchAll(spans)) {
    const { code, bold = '' } = groups ?? {};
    parts.push(row.slice(at, index), code === undefined ? styled('bold', bold) : styled('cyan', code));
    at = index + (match[0]?.length ?? 0);
  }
  return [...parts, row.slice(at)];
}
