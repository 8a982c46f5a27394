import {
  fuzzyFilter,
  Input,
  matchesKey,
  SelectList,
  truncateToWidth,
  type Component,
  type Editor,
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

/** Options of a {@link choicePrompt}. */
export interface Choice {
  readonly title: string;
  readonly items: readonly SelectItem[];
}

/** Asks for one of several items; typing filters them, Esc chooses none. */
export function choicePrompt({ title, items: given }: Choice, theme: Theme): Prompt<string | undefined> {
  const { promise: answer, resolve } = Promise.withResolvers<string | undefined>();
  const cancel = (): void => resolve(undefined);
  const items = given.map(inOneRow);
  const filter = new Input({ prompt: '> ' });
  const listOf = (shown: SelectItem[]): SelectList => {
    const list = new SelectList(shown, 10, theme.list, { maxPrimaryColumnWidth: 60 });
    list.onSelect = ({ value }) => resolve(value);
    list.onCancel = cancel;
    return list;
  };
  let list = listOf(items);
  return {
    focused: false,
    answer,
    cancel,
    invalidate: () => list.invalidate(),
    handleInput(data) {
      if (['up', 'down', 'enter', 'escape', 'pageUp', 'pageDown'].some((key) => matchesKey(data, key as 'up'))) {
        list.handleInput(data);
        return;
      }
      const before = filter.getValue();
      filter.handleInput(data);
      const typed = filter.getValue();
      if (typed === before) return;
      list = listOf(fuzzyFilter(items, typed, ({ label, description = '' }) => `${label} ${description}`));
    },
    render(width) {
      filter.focused = this.focused;
      return [...titleRows(title, width, theme), ...filter.render(width), ...list.render(width)];
    },
  };
}

/** Asks for a line of text; Esc leaves it. */
export function textPrompt(title: string, theme: Theme): Prompt<string | undefined> {
  const { promise: answer, resolve } = Promise.withResolvers<string | undefined>();
  const input = new Input({ prompt: '> ' });
  input.onSubmit = resolve;
  return {
    focused: false,
    answer,
    cancel: () => resolve(undefined),
    invalidate: () => input.invalidate(),
    handleInput(data) {
      if (matchesKey(data, 'escape')) this.cancel();
      else input.handleInput(data);
    },
    render(width) {
      input.focused = this.focused;
      return [...titleRows(title, width, theme), ...input.render(width)];
    },
  };
}

/**
 * Shows a question above a message that is being typed, whose keys do not answer it; after Enter others do. The answer
 * is present when the question may be answered, or needs no answer.
 */
export function draftPrompt(prompt: Prompt<unknown>, editor: Editor, theme: Theme): Prompt<unknown> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  return {
    focused: false,
    answer: Promise.race([ended, prompt.answer]),
    cancel: () => prompt.cancel(),
    invalidate() {
      prompt.invalidate();
      editor.invalidate();
    },
    handleInput(data) {
      if (matchesKey(data, 'enter')) resolve();
      else if (matchesKey(data, 'escape')) prompt.cancel();
      else editor.handleInput(data);
    },
    render(width) {
      editor.focused = this.focused;
      const hint = truncateToWidth('Press Enter to answer; what you type is kept.', width);
      return [...prompt.render(width), theme.paint('yellow', hint), ...editor.render(width)];
    },
  };
}

function titleRows(title: string, width: number, theme: Theme): readonly string[] {
  return quotedRows(title, width).map((row) => theme.paint('bold', row));
}

/** Returns an item whose texts are one row of visible characters each. */
function inOneRow({ value, label, description }: SelectItem): SelectItem {
  return { value, label: oneRow(label), ...(description !== undefined && { description: oneRow(description) }) };
}

function oneRow(text: string): string {
  return safeText(text).replaceAll(/\s+/g, ' ').trim();
}
