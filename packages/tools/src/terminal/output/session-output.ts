import { TextDecoder } from 'node:util';
import { ControlStripper } from './control-stripper.ts';
import type { CapturedOutput, OutputBuffer } from './output-buffer.ts';
import { ScreenText } from './screen-text.ts';

/** What becomes of the output of a session. */
export interface SessionOutputOptions {
  readonly output: OutputBuffer;
  /** Applied to output before it is kept or saved. */
  readonly mask: (text: string) => string;
  /** Gets the answers to what programs ask their terminal. */
  readonly answer: (text: string) => void;
}

/** Turns the bytes of a shell into text without control sequences, as a screen would show it, and keeps that. */
export class SessionOutput {
  readonly #options: SessionOutputOptions;
  readonly #stripper: ControlStripper;
  readonly #screen = new ScreenText();
  #decoder = newDecoder();
  /** Hears text as it comes, without control sequences. */
  onText: ((chunk: string) => void) | undefined;

  constructor(options: SessionOutputOptions) {
    this.#options = options;
    this.#stripper = new ControlStripper(options.answer);
  }

  get isEmpty(): boolean {
    return this.#screen.isEmpty && this.#options.output.isEmpty;
  }

  push(bytes: Uint8Array): void {
    const text = this.#stripper.push(this.#decoder.decode(bytes, { stream: true }));
    if (text !== '') this.onText?.(text);
    this.#keep(this.#screen.push(text));
  }

  /** Half a character or half a control sequence will not be completed by what comes next. */
  flush(): void {
    this.#keep(this.#screen.push(this.#stripper.push(this.#decoder.decode())));
    this.#stripper.end();
    this.#decoder = newDecoder();
  }

  /** What has come since the last take, up to now. */
  take(): CapturedOutput {
    this.#keep(this.#screen.takeLine());
    return this.#options.output.take();
  }

  discard(): void {
    this.#options.output.discard();
  }

  #keep(text: string): void {
    this.#options.output.push(this.#options.mask(text));
  }
}

function newDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}
