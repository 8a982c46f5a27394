import { Markdown, visibleWidth, type Component } from '@earendil-works/pi-tui';
import { stripVTControlCharacters } from 'node:util';
import { safeText } from '@varve/events/text';
import type { Theme } from './theme.ts';

/** Parts of one sign that some terminals draw as signs of their own, of two columns each. */
const joined = /\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic}/gu;

/** Columns to which rows are narrowed at most. */
const leastColumns = 8;

/** Text that the model wrote as Markdown, in rows that also fit where a terminal counts more columns for a sign. */
export class MarkdownPart implements Component {
  readonly #markdown: Markdown;
  readonly #isPlain: boolean;

  constructor(text: string, { markdown }: Theme) {
    this.#isPlain = text.search(joined) === -1;
    this.#markdown = new Markdown(safeText(text.trim()), 0, 0, markdown);
  }

  invalidate(): void {
    this.#markdown.invalidate();
  }

  render(width: number): string[] {
    for (let columns = width; ;) {
      const rows = this.#markdown.render(columns);
      const excess = this.#isPlain ? 0 : rows.reduce((most, row) => Math.max(most, excessOf(row, width)), 0);
      if (excess === 0 || columns <= leastColumns) return rows;
      columns = Math.max(leastColumns, Math.floor((columns * width) / (width + excess)));
    }
  }
}

/** Returns the columns by which a row with joined signs may exceed a width; the last one is for blanks at its end. */
function excessOf(row: string, width: number): number {
  const text = stripVTControlCharacters(row).trimEnd();
  const count = text.match(joined)?.length ?? 0;
  return count === 0 ? 0 : Math.max(0, visibleWidth(text) + 2 * count - (width - 1));
}
