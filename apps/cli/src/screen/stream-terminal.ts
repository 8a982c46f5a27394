import { StdinBuffer, type Terminal } from '@earendil-works/pi-tui';
import type { ScreenStreams } from '../terminal/terminal-io.ts';

const escape = '\u001B';

/**
 * Terminal of the drawing library on the streams of the command. Keys are those of every terminal: protocols for more
 * keys need an answer of the terminal, which a session over a slow line receives too late.
 */
export class StreamTerminal implements Terminal {
  readonly kittyProtocolActive = false;
  readonly #streams: ScreenStreams;
  #keys: StdinBuffer | undefined;
  #onResize: (() => void) | undefined;

  constructor(streams: ScreenStreams) {
    this.#streams = streams;
  }

  get columns(): number {
    return this.#streams.output.columns || 80;
  }

  get rows(): number {
    return this.#streams.output.rows || 24;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    const { input, output } = this.#streams;
    this.#keys = new StdinBuffer();
    this.#keys.on('data', onInput);
    this.#keys.on('paste', (text) => onInput(`${escape}[200~${text}${escape}[201~`));
    this.#onResize = onResize;
    output.on('resize', onResize);
    input.setRawMode?.(true);
    input.on('data', this.#read);
    input.resume();
    // Text that is pasted arrives between two marks, so that its line feeds send nothing.
    this.write(`${escape}[?2004h`);
  }

  stop(): void {
    const { input, output } = this.#streams;
    this.write(`${escape}[?2004l`);
    if (this.#onResize) output.off('resize', this.#onResize);
    input.off('data', this.#read);
    input.pause();
    input.setRawMode?.(false);
    this.#keys?.destroy();
    this.#keys = undefined;
  }

  async drainInput(): Promise<void> {
    // Keys have no second event that could arrive later.
  }

  /** A terminal that counts more columns for a text than this program must not continue it in a row of its own. */
  write(data: string): void {
    this.#streams.output.write(`${escape}[?7l${data}${escape}[?7h`);
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `${escape}[${lines}B` : `${escape}[${-lines}A`);
  }

  hideCursor(): void {
    this.write(`${escape}[?25l`);
  }

  showCursor(): void {
    this.write(`${escape}[?25h`);
  }

  clearLine(): void {
    this.write(`${escape}[K`);
  }

  clearFromCursor(): void {
    this.write(`${escape}[J`);
  }

  clearScreen(): void {
    this.write(`${escape}[2J${escape}[H`);
  }

  setTitle(): void {
    // The title of the window belongs to the person.
  }

  setProgress(): void {
    // The status is part of the screen.
  }

  setProgramStatus(): void {
    // The status is part of the screen.
  }

  readonly #read = (data: Buffer | string): void => this.#keys?.process(data.toString());
}
