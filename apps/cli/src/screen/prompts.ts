import {
  fuzzyFilter,
  Input,
  matchesKey,
  SelectList,
  type Component,
  type Focusable,
  type SelectItem,
} from '@earendil-works/pi-tui';
import { safeText } from '@varve/events/text';
import { quotedRows } from '../terminal/rows.ts';
import type { Theme } from './theme.ts';

/** Component that asks for something, and what it was answered with. */
export interface Prompt<Answer> extends Component, Focusable {
  readonly answer: Promise<Answer>;
  /** Leaves the question without an answer. */
  cancel(): void;
}

/** Options of a {@link ChoicePrompt}. */
export interface Choice {
  readonly title: string;
  readonly items: readonly SelectItem[];
}

/** Asks for one of several items; typing filters them, Esc chooses none. */
export class ChoicePrompt implements Prompt<string | undefined> {
  focused = false;
  readonly #title: string;
  readonly #items: SelectItem[];
  readonly #theme: Theme;
  readonly #answered = Promise.withResolvers<string | undefined>();
  readonly #filter = new Input({ prompt: '> ' });
  #list: SelectList;

  constructor({ title, items }: Choice, theme: Theme) {
    this.#title = title;
    this.#items = items.map(({ value, label, description }) => ({
      value,
      label: oneRow(label),
      ...(description !== undefined && { description: oneRow(description) }),
    }));
    this.#theme = theme;
    this.#list = this.#listOf(this.#items);
  }

  get answer(): Promise<string | undefined> {
    return this.#answered.promise;
  }

  cancel(): void {
    this.#answered.resolve(undefined);
  }

  invalidate(): void {
    this.#list.invalidate();
  }

  handleInput(data: string): void {
    if (['up', 'down', 'enter', 'escape', 'pageUp', 'pageDown'].some((key) => matchesKey(data, key as 'up'))) {
      this.#list.handleInput(data);
      return;
    }
    const before = this.#filter.getValue();
    this.#filter.handleInput(data);
    const typed = this.#filter.getValue();
    if (typed === before) return;
    this.#list = this.#listOf(
      fuzzyFilter(this.#items, typed, ({ label, description = '' }) => `${label} ${description}`),
    );
  }

  render(width: number): string[] {
    this.#filter.focused = this.focused;
    const titleRows = quotedRows(this.#title, width).map((row) => this.#theme.paint('bold', row));
    return [...titleRows, ...this.#filter.render(width), ...this.#list.render(width)];
  }

  #listOf(items: SelectItem[]): SelectList {
    const list = new SelectList(items, 10, this.#theme.list, { maxPrimaryColumnWidth: 60 });
    list.onSelect = ({ value }) => this.#answered.resolve(value);
    list.onCancel = () => this.cancel();
    return list;
  }
}

/** Returns a text as one row of visible characters. */
function oneRow(text: string): string {
  return safeText(text).replaceAll(/\s+/g, ' ').trim();
}
