import { matchesKey, truncateToWidth, type Component, type Editor, type Focusable } from '@earendil-works/pi-tui';
import type { Prompt } from './prompts.ts';
import type { Theme } from './theme.ts';

/** Shows a question above a message that is being typed, whose keys do not answer it; after Enter others do. */
export class DraftPrompt implements Component, Focusable {
  focused = false;
  readonly #prompt: Prompt<unknown>;
  readonly #editor: Editor;
  readonly #theme: Theme;
  readonly #ended = Promise.withResolvers<void>();

  constructor(prompt: Prompt<unknown>, editor: Editor, theme: Theme) {
    this.#prompt = prompt;
    this.#editor = editor;
    this.#theme = theme;
  }

  /** Resolves when the question may be answered, or needs no answer. */
  get ended(): Promise<unknown> {
    return Promise.race([this.#ended.promise, this.#prompt.answer]);
  }

  invalidate(): void {
    this.#prompt.invalidate();
    this.#editor.invalidate();
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'enter')) this.#ended.resolve();
    else if (matchesKey(data, 'escape')) this.#prompt.cancel();
    else this.#editor.handleInput(data);
  }

  render(width: number): string[] {
    this.#editor.focused = this.focused;
    const hint = truncateToWidth('Press Enter to answer; what you type is kept.', width);
    return [...this.#prompt.render(width), this.#theme.paint('yellow', hint), ...this.#editor.render(width)];
  }
}
