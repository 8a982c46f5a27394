import { Input, matchesKey } from '@earendil-works/pi-tui';
import { quotedRows } from '../terminal/rows.ts';
import type { Prompt } from './prompts.ts';
import type { Theme } from './theme.ts';

/** Asks for a line of text; Esc leaves it. */
export class TextPrompt implements Prompt<string | undefined> {
  focused = false;
  readonly #title: string;
  readonly #theme: Theme;
  readonly #answered = Promise.withResolvers<string | undefined>();
  readonly #input = new Input({ prompt: '> ' });

  constructor(title: string, theme: Theme) {
    this.#title = title;
    this.#theme = theme;
    this.#input.onSubmit = (typed) => this.#answered.resolve(typed);
  }

  get answer(): Promise<string | undefined> {
    return this.#answered.promise;
  }

  cancel(): void {
    this.#answered.resolve(undefined);
  }

  invalidate(): void {
    this.#input.invalidate();
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape')) this.cancel();
    else this.#input.handleInput(data);
  }

  render(width: number): string[] {
    this.#input.focused = this.focused;
    const titleRows = quotedRows(this.#title, width).map((row) => this.#theme.paint('bold', row));
    return [...titleRows, ...this.#input.render(width)];
  }
}
