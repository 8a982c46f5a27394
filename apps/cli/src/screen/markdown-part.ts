import { Markdown, type Component } from '@earendil-works/pi-tui';
import { safeText } from '@varve/events/text';
import { roomyRows } from './room-for-signs.ts';
import type { Theme } from './theme.ts';

/** Text that the model wrote as Markdown. */
export class MarkdownPart implements Component {
  readonly #markdown: Markdown;
  readonly #text: string;

  constructor(text: string, { markdown }: Theme) {
    this.#text = safeText(text.trim());
    this.#markdown = new Markdown(this.#text, 0, 0, markdown);
  }

  invalidate(): void {
    this.#markdown.invalidate();
  }

  render(width: number): string[] {
    return roomyRows(this.#text, width, (columns) => this.#markdown.render(columns));
  }
}
