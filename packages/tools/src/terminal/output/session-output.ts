import { TextDecoder } from 'node:util';
import type { RedactionStream, Redactor } from '@varve/text';
import { ControlStripper } from './control-stripper.ts';
import type { CapturedOutput, OutputBuffer } from './output-buffer.ts';
import { ScreenText } from './screen-text.ts';

/** Options of {@link SessionOutput}. */
export interface SessionOutputOptions {
  readonly output: OutputBuffer;
  /** Applied to output before it is buffered or saved, as to one text, however it is divided. */
  readonly redactor: Pick<Redactor, 'stream'>;
  /** Receives the replies to terminal queries of programs. */
  readonly answer: (text: string) => void;
}

/**
 * Converts the bytes of a shell to text without control sequences, as a terminal would show it, and buffers that text.
 */
export class SessionOutput {
  readonly #options: SessionOutputOptions;
  readonly #stripper: ControlStripper;
  readonly #screen = new ScreenText();
  #decoder = newDecoder();
  #redaction: RedactionStream;
  /** Receives text as it arrives, without control sequences. */
  onText: ((chunk: string) => void) | undefined;

  constructor(options: SessionOutputOptions) {
    this.#options = options;
    this.#stripper = new ControlStripper(options.answer);
    this.#redaction = options.redactor.stream();
  }

  get isEmpty(): boolean {
    return this.#screen.isEmpty && this.#options.output.isEmpty;
  }

  push(bytes: Uint8Array): void {
    const text = this.#stripper.push(this.#decoder.decode(bytes, { stream: true }));
    if (text !== '') this.onText?.(text);
    this.#buffer(this.#screen.push(text));
  }

  /** Ends an incomplete character or control sequence, which later output does not complete. */
  flush(): void {
    this.#buffer(this.#screen.push(this.#stripper.push(this.#decoder.decode())));
    this.#stripper.end();
    this.#decoder = newDecoder();
  }

  /**
   * Returns and clears the output since the last take, up to characters that may be the beginning of a secret, which
   * the next take returns.
   */
  take(): CapturedOutput {
    this.#buffer(this.#screen.takeLine());
    return this.#options.output.take();
  }

  /** Returns and clears all output since the last take. */
  takeAll(): CapturedOutput {
    this.#buffer(this.#screen.takeLine());
    this.#options.output.push(this.#redaction.end());
    this.#redaction = this.#options.redactor.stream();
    return this.#options.output.take();
  }

  discard(): void {
    this.#options.output.discard();
  }

  #buffer(text: string): void {
    this.#options.output.push(this.#redaction.push(text));
  }
}

function newDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}
