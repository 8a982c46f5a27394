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
import { answersTo, approvalOf, approvalRows, type Approval, type Question } from '../run/ask-approval.ts';
import type { Theme } from './theme.ts';

/** Component that asks for something, and what it was answered with. */
export interface Prompt<Answer> extends Component, Focusable {
  readonly answer: Promise<Answer>;
}

/** Asks about a call: one letter answers, and `n` asks for a reason. */
export class ApprovalPrompt implements Prompt<Approval> {
  focused = false;
  readonly #question: Question;
  readonly #theme: Theme;
  readonly #answered = Promise.withResolvers<Approval>();
  readonly #reason = new Input({ prompt: '  Reason (Enter for none): ' });
  #isRejecting = false;

  constructor(question: Question, theme: Theme) {
    this.#question = question;
    this.#theme = theme;
    this.#reason.onSubmit = (reason) => this.#decide(reason.trim() === '' ? 'n' : `n ${reason}`);
    this.#reason.onEscape = () => (this.#isRejecting = false);
  }

  get answer(): Promise<Approval> {
    return this.#answered.promise;
  }

  /** Leaves the call undecided. */
  cancel(): void {
    this.#answered.resolve('later');
  }

  invalidate(): void {
    // Nothing is cached.
  }

  handleInput(data: string): void {
    if (this.#isRejecting) return this.#reason.handleInput(data);
    if (matchesKey(data, 'escape')) return this.cancel();
    if (data === 'n' || data === 'N') this.#isRejecting = true;
    else if (data.length === 1 && answersTo(this.#question).includes(data.toLowerCase())) this.#decide(data);
  }

  render(width: number): string[] {
    const { titleRows, rows } = approvalRows(this.#question, width);
    this.#reason.focused = this.focused;
    return [
      '',
      ...titleRows.map((row) => this.#theme.paint('yellow', row)),
      ...rows,
      ...(this.#isRejecting ? this.#reason.render(width) : []),
    ];
  }

  #decide(answer: string): void {
    const approval = approvalOf(answer, this.#question);
    if (approval !== undefined) this.#answered.resolve(approval);
  }
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
    return ['', this.#theme.paint('bold', this.#title), ...this.#filter.render(width), ...this.#list.render(width)];
  }

  #listOf(items: SelectItem[]): SelectList {
    const list = new SelectList(items, 10, this.#theme.list, { maxPrimaryColumnWidth: 60 });
    list.onSelect = ({ value }) => this.#answered.resolve(value);
    list.onCancel = () => this.#answered.resolve(undefined);
    return list;
  }
}

function oneRow(text: string): string {
  return safeText(text).replaceAll(/\s+/g, ' ').trim();
}
