import {
  CombinedAutocompleteProvider,
  Container,
  Editor,
  matchesKey,
  setCapabilities,
  Text,
  TuiMainScreen,
  type Component,
} from '@earendil-works/pi-tui';
import { safeText, type TextLine } from '@varve/events/text';
import type { Style } from '../terminal/output.ts';
import type { ScreenStreams, TerminalIo } from '../terminal/terminal-io.ts';
import { linesParts } from './event-parts.ts';
import type { Folding } from './folded.ts';
import { Footer } from './footer.ts';
import { LiveView } from './live-view.ts';
import { ChoicePrompt, type Choice, type Prompt } from './prompts.ts';
import { StatusLine } from './status-line.ts';
import { StreamTerminal } from './stream-terminal.ts';
import { themeOf, type Theme } from './theme.ts';

/** What the keys of the person do. */
export interface ScreenHandlers {
  readonly submit: (text: string) => void;
  readonly escape: () => void;
  /** Opens what is typed in another editor. */
  readonly edit: () => void;
  readonly quit: () => void;
}

/** Command that is completed after a slash. */
export interface Completion {
  readonly name: string;
  readonly description: string;
  readonly argument?: string;
}

/** Screen of a session: the transcript, what runs, the editor or a question, and the footer. */
export class Screen implements Disposable {
  readonly theme: Theme;
  readonly folding: Folding = { isOpen: false };
  readonly live: LiveView;
  readonly status: StatusLine;
  readonly footer: Footer;
  readonly editor: Editor;
  readonly #transcript = new Container();
  readonly #bottom = new Container();
  readonly #tui: TuiMainScreen;
  readonly #streams: ScreenStreams;
  #isQuitting = false;

  constructor(io: TerminalIo, streams: ScreenStreams, now: () => number) {
    // Links of a text could lead elsewhere than they read, and images need an answer of the terminal.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
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
    this.#bottom.addChild(this.editor);
    for (const part of [this.#transcript, this.live, this.status, this.#bottom, this.footer]) this.#tui.addChild(part);
    this.#tui.setFocus(this.editor);
  }

  /** Draws, and calls the handlers from now on. */
  start({ submit, ...handlers }: ScreenHandlers): void {
    this.editor.onSubmit = (text) => {
      if (text.trim() === '') return;
      this.editor.addToHistory(text);
      submit(text.trim());
    };
    this.#tui.addInputListener((data) => {
      const isHandled = this.#handleKey(data, handlers);
      return isHandled ? { consume: true } : undefined;
    });
    this.#tui.start();
  }

  /** Completes commands, and files of a directory after `@`. */
  completeWith(commands: readonly Completion[], directory: string): void {
    const completions = commands.map(({ name, description, argument }) => ({
      name,
      description: safeText(description),
      ...(argument !== undefined && { argumentHint: safeText(argument) }),
    }));
    this.editor.setAutocompleteProvider(new CombinedAutocompleteProvider(completions, directory));
  }

  /** Adds parts at the end of the transcript. */
  add(parts: readonly Component[]): void {
    for (const part of parts) this.#transcript.addChild(part);
    this.draw();
  }

  /** Adds a text of one or more rows. */
  print(text: string, style?: Style): void {
    const safe = safeText(text).replaceAll('\t', '    ');
    const rows = safe.split('\n').map((row) => (style ? this.theme.paint(style, row) : row));
    this.add([new Text(rows.join('\n'), 0, 0)]);
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

  /** Shows a question in place of the editor until it is answered. */
  async ask<Answer>(prompt: Prompt<Answer>): Promise<Answer> {
    this.#bottom.clear();
    this.#bottom.addChild(prompt);
    this.#tui.setFocus(prompt);
    this.draw();
    try {
      return await prompt.answer;
    } finally {
      this.#bottom.clear();
      this.#bottom.addChild(this.editor);
      this.#tui.setFocus(this.editor);
      this.draw();
    }
  }

  /** Returns an editor for a question. */
  newEditor(): Editor {
    return new Editor(this.#tui, this.theme.editor);
  }

  /** Asks for one of several items; undefined if the person chooses none. */
  async choose(choice: Choice): Promise<string | undefined> {
    return this.ask(new ChoicePrompt(choice, this.theme));
  }

  /** Lets the terminal go while another program uses it. */
  async suspended<T>(use: () => Promise<T>): Promise<T> {
    this.#tui.stop();
    try {
      return await use();
    } finally {
      this.#tui.start();
      this.#tui.requestRender(true);
    }
  }

  [Symbol.dispose](): void {
    this.status[Symbol.dispose]();
    this.#tui.stop();
    this.#streams[Symbol.dispose]();
  }

  #handleKey(data: string, { escape, edit, quit }: Omit<ScreenHandlers, 'submit'>): boolean {
    if (matchesKey(data, 'ctrl+c')) {
      this.#interrupt(quit);
      return true;
    }
    this.#isQuitting = false;
    this.status.hint('');
    if (matchesKey(data, 'ctrl+o')) {
      this.folding.isOpen = !this.folding.isOpen;
      this.#tui.requestRender(true);
      return true;
    }
    if (matchesKey(data, 'ctrl+z')) {
      this.#stopJob();
      return true;
    }
    if (!this.editor.focused) return false;
    if (matchesKey(data, 'ctrl+g')) {
      edit();
      return true;
    }
    if (matchesKey(data, 'ctrl+d') && this.editor.getText() === '') {
      quit();
      return true;
    }
    if (!matchesKey(data, 'escape') || this.editor.isShowingAutocomplete()) return false;
    escape();
    return true;
  }

  #interrupt(quit: () => void): void {
    if (this.#isQuitting) return quit();
    this.#isQuitting = true;
    if (this.editor.focused) this.editor.setText('');
    this.status.hint('Press Ctrl-C again to leave.');
  }

  #stopJob(): void {
    this.#tui.stop();
    process.once('SIGCONT', () => {
      this.#tui.start();
      this.#tui.requestRender(true);
    });
    this.#streams.job.signal('SIGTSTP');
  }
}
