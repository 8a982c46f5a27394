import {
  type Editor,
  fuzzyFilter,
  Input,
  matchesKey,
  SelectList,
  type Component,
  type Focusable,
  type SelectItem,
} from '@earendil-works/pi-tui';
import { safeText } from '@varve/events/text';
import { editableCommand, type Approval, type CallQuestion } from '@varve/host/people';
import { answersTo, approvalOf, approvalRows } from '../wording/approval-rows.ts';
import { quotedRows } from '../terminal/rows.ts';
import type { Theme } from './theme.ts';

/** Component that asks for something, and what it was answered with. */
export interface Prompt<Answer> extends Component, Focusable {
  readonly answer: Promise<Answer>;
  /** Leaves the question without an answer. */
  cancel(): void;
}

/** Asks about a call: one letter answers, `n` asks for a reason, and `e` for another command. */
export class ApprovalPrompt implements Prompt<Approval> {
  focused = false;
  readonly #question: CallQuestion;
  readonly #theme: Theme;
  readonly #answered = Promise.withResolvers<Approval>();
  readonly #reason = new Input({ prompt: '  Reason (Enter for none): ' });
  readonly #command: Editor;
  /** What is typed; undefined while a letter is awaited. */
  #typing: Input | Editor | undefined;

  /** @param command Editor of the command that runs instead. */
  constructor(question: CallQuestion, theme: Theme, command: Editor) {
    this.#question = question;
    this.#theme = theme;
    this.#command = command;
    this.#reason.onSubmit = (reason) => this.#decide(reason.trim() === '' ? 'n' : `n ${reason}`);
    command.onSubmit = (text) => {
      if (text.trim() === '') this.#typing = undefined;
      else this.#answered.resolve({ command: text });
    };
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
    const isEscape = matchesKey(data, 'escape');
    if (this.#typing && !isEscape) return this.#typing.handleInput(data);
    if (this.#typing) this.#typing = undefined;
    else if (isEscape) this.cancel();
    else if (/^n$/i.test(data)) this.#typing = this.#reason;
    else if (/^e$/i.test(data) && answersTo(this.#question).includes('e COMMAND')) this.#edit();
    else if (data.length === 1 && answersTo(this.#question).includes(data.toLowerCase())) this.#decide(data);
  }

  render(width: number): string[] {
    const { titleRows, rows } = approvalRows(this.#question, width);
    if (this.#typing) this.#typing.focused = this.focused;
    return [
      ...titleRows.map((row) => this.#theme.paint('yellow', row)),
      ...rows,
      ...(this.#typing?.render(width) ?? []),
    ];
  }

  #edit(): void {
    this.#command.setText(editableCommand(this.#question.call) ?? '');
    this.#typing = this.#command;
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

function oneRow(text: string): string {
  return safeText(text).replaceAll(/\s+/g, ' ').trim();
}
