import type { codeRows } from './highlight.ts';
import { styled, type Printable } from './output.ts';
import { WrappedText } from './wrapped-text.ts';

/** Code, or bold text, in a row. What continues in the next row stays as it is written. */
const spans = /`(?<code>[^`]+)`|(?<![\w*])\*\*(?<bold>\S(?:.*?\S)?)\*\*(?![\w*])/g;

/**
 * Wraps Markdown that arrives in pieces, and styles its headings, code and bold text row by row, so that a row that was
 * printed never changes. Without styles the text stays as it is written.
 */
export class MarkdownRows {
  readonly #rows: WrappedText;
  readonly #highlight: typeof codeRows | undefined;
  #isLineStart = true;
  #isHeading = false;
  /** The code block that the rows are in. */
  #block: { readonly fence: string; readonly language: string } | undefined;

  /** @param highlight Colours code; absent without colours. */
  constructor(columns: () => number, highlight: typeof codeRows | undefined) {
    this.#rows = new WrappedText(columns);
    this.#highlight = highlight;
  }

  /** Returns the start of the row that is not complete, as it is written. */
  get rest(): string {
    return this.#rows.rest;
  }

  /** Adds a piece, and returns the rows that are complete with it. */
  push(piece: string): readonly Printable[] {
    return piece.split(/(?<=\n)/).flatMap((part) => this.#add(this.#rows.push(part), part.endsWith('\n')));
  }

  /** Returns the last row, and starts a new text. */
  end(): readonly Printable[] {
    const rows = this.#add(this.#rows.end(), true);
    this.#block = undefined;
    return rows;
  }

  #add(rows: readonly string[], endsLine: boolean): readonly Printable[] {
    const styledRows = rows.map((row) => (this.#highlight ? this.#styled(row, this.#highlight) : row));
    if (endsLine) this.#isLineStart = true;
    return styledRows;
  }

  #styled(row: string, highlight: typeof codeRows): Printable {
    const isLineStart = this.#isLineStart;
    this.#isLineStart = false;
    const fence = isLineStart ? /^\s*(?<fence>`{3,}|~{3,})\s*(?<language>[\w+#-]*)/.exec(row)?.groups : undefined;
    if (fence && (!this.#block || fence['fence']?.startsWith(this.#block.fence))) {
      this.#block = this.#block ? undefined : { fence: fence['fence'] ?? '', language: fence['language'] ?? '' };
      return styled('dim', row);
    }
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
