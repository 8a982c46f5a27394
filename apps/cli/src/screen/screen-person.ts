import type { Approval, CallQuestion, ChoiceQuestion, Person } from '@varve/host/people';
import { questionRows } from '../wording/call-rows.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { revealedLine } from '../terminal/rows.ts';
import { approvalPrompt } from './approval-prompt.ts';
import { askChoice } from './ask-choice.ts';
import type { Screen } from './screen.ts';
import { TextPrompt } from './text-prompt.ts';

/** Person at the screen of a session. */
export class ScreenPerson implements Person {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async approve(question: CallQuestion, signal: AbortSignal): Promise<Approval> {
    const { status, theme } = this.#screen;
    status.set(undefined);
    this.#screen.ring();
    const approval = await this.#screen.ask(approvalPrompt(question, theme, this.#screen.newEditor()), signal);
    if (approval !== 'later') status.set('waiting for the model');
    return approval;
  }

  /** Answers that allow nothing are the first ones. */
  async choose(question: ChoiceQuestion, signal: AbortSignal): Promise<string | undefined> {
    const { title, texts = [], choices } = question;
    this.#screen.ring();
    const rows = questionRows(question, this.#screen.columns);
    if (texts.length > 0) this.#screen.status.set(undefined);
    if (rows.length > 0) this.#screen.print([...(texts.length > 0 ? [title] : []), ...rows].join('\n'));
    const ordered = choices.toSorted((a, b) => Number(b.isRefusal ?? false) - Number(a.isRefusal ?? false));
    return askChoice({ title, choices: ordered }, this.#screen, signal);
  }

  async type(title: string, signal: AbortSignal): Promise<string | undefined> {
    this.#screen.ring();
    const typed = await this.#screen.ask(new TextPrompt(title, this.#screen.theme), signal);
    if (typed !== undefined) this.#screen.print(`${revealedLine(title)}: ${typed}`, 'dim');
    return typed;
  }

  openAddress(address: URL): void {
    openBrowser(address, this.#screen.io.env);
  }

  showOutput(chunk: string, callId: string): void {
    this.#screen.status.set('running your command');
    this.#screen.live.addOutput(chunk, callId);
    this.#screen.draw();
  }
}
