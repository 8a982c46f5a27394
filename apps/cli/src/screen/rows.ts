import type { Component } from '@earendil-works/pi-tui';

/** Rows that depend on a width, and on what `keyOf` returns; by default on the width only. */
export class Rows implements Component {
  readonly #rows: (width: number) => string[];
  readonly #keyOf: (width: number) => string;
  #cache: { readonly key: string; readonly rows: string[] } | undefined;

  constructor(rows: (width: number) => string[], keyOf: (width: number) => string = String) {
    this.#rows = rows;
    this.#keyOf = keyOf;
  }

  invalidate(): void {
    this.#cache = undefined;
  }

  render(width: number): string[] {
    const key = this.#keyOf(width);
    if (this.#cache?.key !== key) this.#cache = { key, rows: this.#rows(width) };
    return this.#cache.rows;
  }
}
