import type { Component } from '@earendil-works/pi-tui';
import { safeText } from '@varve/events/text';
import { wrapLine } from './room-for-signs.ts';

/** Whether long texts are shown whole, for all of them. */
export interface Folding {
  isOpen: boolean;
}

/** Options of a {@link Folded}. */
export interface FoldedOptions {
  readonly folding: Folding;
  /** Rows at the start and the end of a folded text. */
  readonly head: number;
  readonly tail: number;
  readonly paint: (text: string) => string;
}

/** Text of which only the first and last rows are shown until the person asks for all. */
export class Folded implements Component {
  readonly #lines: readonly string[];
  readonly #options: FoldedOptions;
  #cache: { readonly key: string; readonly rows: string[] } | undefined;

  constructor(text: string, options: FoldedOptions) {
    this.#lines = safeText(text).trimEnd().split('\n');
    this.#options = options;
  }

  invalidate(): void {
    this.#cache = undefined;
  }

  render(width: number): string[] {
    const key = `${width} ${this.#options.folding.isOpen}`;
    if (this.#cache?.key !== key) this.#cache = { key, rows: this.#rows(width) };
    return this.#cache.rows;
  }

  #rows(width: number): string[] {
    const { folding, head, tail, paint } = this.#options;
    const count = this.#lines.length;
    const isCut = !folding.isOpen && count > head + tail + 1;
    const gap = `… ${count - head - tail} of ${count} lines (Ctrl-O shows them)`;
    const rows = isCut
      ? [...this.#lines.slice(0, head), gap, ...(tail === 0 ? [] : this.#lines.slice(-tail))]
      : this.#lines;
    return rows.flatMap((line) => wrapLine(line, Math.max(1, width - 2)).map((row) => `  ${paint(row)}`));
  }
}
