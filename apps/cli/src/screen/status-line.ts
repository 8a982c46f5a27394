import { truncateToWidth, type Component, type TUI } from '@earendil-works/pi-tui';
import type { Theme } from './theme.ts';

/** Rows above the editor: an empty one, what runs, for how long, and the keys for it, and a sentence. */
export class StatusLine implements Component, Disposable {
  readonly #tui: TUI;
  readonly #theme: Theme;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #activity: string | undefined;
  #hint = '';

  constructor(tui: TUI, theme: Theme, now: () => number) {
    this.#tui = tui;
    this.#theme = theme;
    this.#now = now;
  }

  /** True while something runs. */
  get isActive(): boolean {
    return this.#activity !== undefined;
  }

  /** Starts or changes the activity; undefined ends it. */
  set(activity: string | undefined): void {
    if (activity !== undefined && this.#activity === undefined) {
      this.#startedAt = this.#now();
      this.#timer = setInterval(() => this.#tui.requestRender(), 1000).unref();
    }
    if (activity === undefined) clearInterval(this.#timer);
    this.#activity = activity;
    this.#tui.requestRender();
  }

  /** Shows a sentence until the next one. */
  hint(text: string): void {
    this.#hint = text;
    this.#tui.requestRender();
  }

  /** Removes a sentence, unless another one is shown by now. */
  removeHint(text: string): void {
    if (this.#hint === text) this.hint('');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  invalidate(): void {
    // Nothing is cached.
  }

  render(width: number): string[] {
    const rows = [this.#running(), this.#hint].filter((row) => row !== '');
    return ['', ...rows.map((row) => this.#theme.paint('dim', truncateToWidth(row, width)))];
  }

  #running(): string {
    if (this.#activity === undefined) return '';
    const seconds = Math.floor((this.#now() - this.#startedAt) / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    return `● ${this.#activity} · ${time} · Enter queues a message, Esc interrupts`;
  }
}
