import { Input, matchesKey } from '@earendil-works/pi-tui';
import { quotedRows } from '../terminal/rows.ts';
import type { Prompt } from './prompts.ts';
import type { Theme } from './theme.ts';

/** Question whose answer has consequences. */
export interface Question<Answer> {
  /** Returns the rows above the answers for a terminal of this width. */
  readonly rows: (width: number) => { readonly titleRows: readonly string[]; readonly rows: readonly string[] };
  /** Answers; the first one is selected, so that it allows nothing. `select` is called when Enter chooses it. */
  readonly choices: readonly { readonly label: string; readonly select: () => Answer | Prompt<Answer> }[];
  /** Returns the answer of a text, or a sentence that asks for another one. */
  readonly read: (text: string) => { readonly answer: Answer } | { readonly problem: string };
  /** Describes what Enter does with a text. */
  readonly textHint: (text: string) => string;
  /** Answer of Esc and of a question that is cancelled. */
  readonly none: Answer;
}

/** Asks a question: only Enter answers, with the selected row, or with what is typed. No letter does anything else. */
export class QuestionPrompt<Answer> implements Prompt<Answer> {
  focused = false;
  readonly #question: Question<Answer>;
  readonly #theme: Theme;
  readonly #answered = Promise.withResolvers<Answer>();
  readonly #input = new Input({ prompt: '> ' });
  #selected = 0;
  #problem = '';
  /** Prompt of a chosen answer that needs more. */
  #next: Prompt<Answer> | undefined;

  constructor(question: Question<Answer>, theme: Theme) {
    this.#question = question;
    this.#theme = theme;
    this.#input.onSubmit = (text) => this.#submit(text);
  }

  get answer(): Promise<Answer> {
    return this.#answered.promise;
  }

  /** Leaves the question undecided. */
  cancel(): void {
    this.#answered.resolve(this.#question.none);
  }

  invalidate(): void {
    this.#input.invalidate();
  }

  handleInput(data: string): void {
    const isEscape = matchesKey(data, 'escape');
    if (this.#next) {
      if (isEscape) this.#next = undefined;
      else this.#next.handleInput?.(data);
    } else if (isEscape && !this.#isTyping) this.cancel();
    else if (isEscape) this.#input.setValue('');
    else if (!this.#isTyping && matchesKey(data, 'up')) this.#move(-1);
    else if (!this.#isTyping && matchesKey(data, 'down')) this.#move(1);
    else {
      this.#problem = '';
      this.#input.handleInput(data);
    }
  }

  render(width: number): string[] {
    const { titleRows, rows } = this.#question.rows(width);
    const above = [...titleRows.map((row) => this.#theme.paint('yellow', row)), ...rows];
    if (this.#next) {
      this.#next.focused = this.focused;
      return [...above, ...this.#next.render(width)];
    }
    this.#input.focused = this.focused;
    const hint = this.#problem || (this.#isTyping ? this.#question.textHint(this.#input.getValue().trim()) : '');
    return [
      ...above,
      ...(this.#isTyping ? [] : this.#choiceRows(width)),
      ...this.#input.render(width),
      ...(hint === '' ? [] : quotedRows(hint, width).map((row) => this.#theme.paint('dim', row))),
    ];
  }

  get #isTyping(): boolean {
    return this.#input.getValue().trim() !== '';
  }

  /** Every character of an answer is visible: it may quote a call. */
  #choiceRows(width: number): readonly string[] {
    return this.#question.choices.flatMap(({ label }, at) => {
      const mark = at === this.#selected ? '→ ' : '  ';
      return quotedRows(label, width - mark.length).map((row, index) => `${index === 0 ? mark : '  '}${row}`);
    });
  }

  #move(by: number): void {
    const { length } = this.#question.choices;
    this.#selected = (this.#selected + by + length) % length;
  }

  #submit(text: string): void {
    if (text.trim() === '') return this.#choose();
    const read = this.#question.read(text.trim());
    if ('answer' in read) this.#answered.resolve(read.answer);
    else this.#problem = read.problem;
  }

  #choose(): void {
    const chosen = this.#question.choices[this.#selected]?.select();
    if (isPrompt(chosen)) {
      this.#next = chosen;
      void chosen.answer.then((answer) => this.#answered.resolve(answer));
    } else if (chosen !== undefined) this.#answered.resolve(chosen);
  }
}

function isPrompt<Answer>(chosen: Answer | Prompt<Answer> | undefined): chosen is Prompt<Answer> {
  return typeof chosen === 'object' && chosen !== null && 'handleInput' in chosen;
}
