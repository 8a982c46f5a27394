import {
  Container,
  Editor,
  setCapabilities,
  TuiMainScreen,
  type Component,
  type Focusable,
} from '@earendil-works/pi-tui';
import type { TextLine } from '@varve/events/text';
import { taskQueue } from '@varve/host/kit';
import { CallReminders } from '../terminal/event-formatter.ts';
import type { Style } from '../terminal/output.ts';
import type { ScreenStreams, TerminalIo } from '../terminal/terminal-io.ts';
import { completionsOf, type CompletionSources } from './completions.ts';
import { linesParts, textPart } from './event-parts.ts';
import type { Folding } from './folded.ts';
import { Footer } from './footer.ts';
import { LiveView } from './live-view.ts';
import { choicePrompt, draftPrompt, type Choice, type Prompt } from './prompts.ts';
import { screenKeys, type ScreenHandlers } from './screen-keys.ts';
import { StatusLine } from './status-line.ts';
import { StreamTerminal } from './stream-terminal.ts';
import { stopJob, suspended } from './suspended.ts';
import { themeOf, type Theme } from './theme.ts';

/** Screen of a session: the transcript, what runs, the editor or a question, and the footer. */
export class Screen implements Disposable {
  readonly io: TerminalIo;
  readonly theme: Theme;
  readonly folding: Folding = { isOpen: false };
  readonly live: LiveView;
  readonly reminders = new CallReminders();
  readonly status: StatusLine;
  readonly footer: Footer;
  readonly editor: Editor;
  /** True if {@link ring} is heard. */
  rings = false;
  readonly #transcript = new Container();
  readonly #bottom = new Container();
  readonly #tui: TuiMainScreen;
  readonly #streams: ScreenStreams;
  readonly #inTurn = taskQueue();

  constructor(io: TerminalIo, streams: ScreenStreams, now: () => number) {
    // Links of a text could lead elsewhere than they read, and images need an answer of the terminal.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
    this.io = io;
    this.#streams = streams;
    this.theme = themeOf(io.stdout.hasColours, () => {
      this.#tui.invalidate();
      this.draw();
    });
    this.#tui = new TuiMainScreen(new StreamTerminal(streams));
    this.live = new LiveView(this.theme);
    this.status = new StatusLine(this.#tui, this.theme, now);
    this.footer = new Footer(this.theme);
    this.editor = this.newEditor();
    for (const part of [this.#transcript, this.live, this.status, this.#bottom, this.footer]) this.#tui.addChild(part);
    this.#showBelow(this.editor);
  }

  /** Draws, and calls the handlers from now on. */
  start(handlers: ScreenHandlers): void {
    this.editor.onSubmit = (text) => {
      if (text.trim() === '') return;
      this.editor.addToHistory(text);
      handlers.submit?.(text.trim());
    };
    const toggleFolding = (): void => {
      this.folding.isOpen = !this.folding.isOpen;
      this.#tui.requestRender(true);
    };
    const { editor, status } = this;
    const pause = (): void => stopJob(this.#tui, this.#streams.job);
    const keys = screenKeys({ editor, status, toggleFolding, stopJob: pause }, handlers);
    this.#tui.addInputListener((data) => (keys(data) ? { consume: true } : undefined));
    this.#tui.start();
  }

  /** Completes commands, and files and resources after `@`. */
  completeWith(sources: CompletionSources): void {
    this.editor.setAutocompleteProvider(completionsOf(sources));
  }

  /** Adds parts at the end of the transcript. */
  add(parts: readonly Component[]): void {
    for (const part of parts) this.#transcript.addChild(part);
    this.draw();
  }

  /** Adds a text of one or more rows. */
  print(text: string, style?: Style): void {
    this.add([textPart(text, style, this.theme)]);
  }

  /** Adds formatted lines. */
  printLines(lines: readonly TextLine[]): void {
    this.add(linesParts(lines, { theme: this.theme, folding: this.folding, workspace: '' }));
  }

  /** Removes the transcript from the screen. */
  clear(): void {
    this.#transcript.clear();
    this.#tui.requestRender(true);
  }

  /** Rings the bell of the terminal, if the person wants that. */
  ring(): void {
    if (this.rings) this.#tui.terminal.write('\u0007');
  }

  /** Copies a text to the clipboard of the terminal, also over ssh: some terminals refuse it. */
  copy(text: string): void {
    this.#tui.terminal.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }

  /** Columns of the terminal. */
  get columns(): number {
    return this.#tui.terminal.columns;
  }

  draw(): void {
    this.#tui.requestRender();
  }

  /** Shows a question in place of the editor, after those before it, until it is answered or the signal aborts. */
  async ask<Answer>(prompt: Prompt<Answer>, signal?: AbortSignal): Promise<Answer> {
    signal?.addEventListener('abort', () => prompt.cancel(), { once: true });
    if (signal?.aborted) prompt.cancel();
    void this.#inTurn(async () => {
      if (this.editor.getText() !== '') {
        const draft = draftPrompt(prompt, this.editor, this.theme);
        this.#showBelow(draft);
        await draft.answer;
      }
      this.#showBelow(prompt);
      await prompt.answer;
      this.#showBelow(this.editor);
    });
    return prompt.answer;
  }

  /** Returns an editor for a question. */
  newEditor(): Editor {
    return new Editor(this.#tui, this.theme.editor);
  }

  /** Asks for one of several items; undefined if the person chooses none. */
  async choose(choice: Choice, signal?: AbortSignal): Promise<string | undefined> {
    return this.ask(choicePrompt(choice, this.theme), signal);
  }

  /** Lets the terminal go while another program uses it. */
  async suspended<T>(use: () => Promise<T>): Promise<T> {
    return suspended(this.#tui, use);
  }

  [Symbol.dispose](): void {
    this.status[Symbol.dispose]();
    this.#tui.stop();
    this.#streams[Symbol.dispose]();
  }

  #showBelow(part: Component & Focusable): void {
    this.#bottom.clear();
    this.#bottom.addChild(part);
    this.#tui.setFocus(part);
    this.draw();
  }
}
