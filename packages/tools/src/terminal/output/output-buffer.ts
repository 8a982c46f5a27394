import { truncateMiddle } from '@varve/text';
import { SavedOutput } from './saved-output.ts';

/** Output of a program since the last take. */
export interface CapturedOutput {
  /** At most the buffer's limit. */
  readonly text: string;
  /** Path of the whole text, when `text` is truncated and the whole could be saved. */
  readonly file?: string;
}

/** Options of {@link OutputBuffer}. */
export interface OutputBufferOptions {
  /** Maximum length of the shown text, in UTF-16 units. */
  readonly maxChars: number;
  /** Directory in which the whole text of longer output is saved. */
  readonly directory: string;
  /** Maximum size of one saved output. */
  readonly maxSavedBytes: number;
}

/** Buffer of output that has not been taken yet. Holds at most about three times its limit. */
export class OutputBuffer {
  readonly #options: OutputBufferOptions;
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #length = 0;
  #saved: SavedOutput | undefined;

  constructor(options: OutputBufferOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  push(text: string): void {
    if (text === '') return;
    const { maxChars } = this.#options;
    const room = Math.max(0, maxChars - this.#head.length);
    const fits = this.#length + text.length <= maxChars;
    this.#saved?.write(text);
    if (!fits && this.#saved === undefined) this.#save(this.#head + text);
    this.#head += text.slice(0, room);
    this.#length += text.length;
    this.#pushTail(text.slice(room));
  }

  /** Returns and clears the output since the last take, without trailing line feeds. */
  take(): CapturedOutput {
    const { maxChars } = this.#options;
    const all = { head: this.#head, tail: (this.#head + this.#tail.join('')).slice(-maxChars), length: this.#length };
    const saved = this.#saved;
    const file = saved?.finish();
    this.#clear();
    if (saved === undefined) return { text: all.head.replace(/(?<!\n)\n+$/, '') };
    const location = file === undefined ? 'The whole output could not be saved' : `The whole output is in ${file}`;
    const text = truncateMiddle(
      all,
      maxChars,
      ({ chars, line }) => `\n[${chars} characters left out, from line ${line} on. ${location}]\n`,
    );
    return { text: text.replace(/(?<!\n)\n+$/, ''), ...(file !== undefined && { file }) };
  }

  /** Clears the buffer and removes an unfinished file. */
  discard(): void {
    this.#saved?.discard();
    this.#clear();
  }

  #pushTail(text: string): void {
    if (text === '') return;
    const { maxChars } = this.#options;
    // A copy: a slice would keep the whole chunk in memory.
    this.#tail.push(text.slice(-maxChars));
    this.#tailLength += Math.min(text.length, maxChars);
    let dropped = 0;
    for (const chunk of this.#tail) {
      if (this.#tailLength - chunk.length < maxChars) break;
      this.#tailLength -= chunk.length;
      dropped += 1;
    }
    if (dropped > 0) this.#tail.splice(0, dropped);
  }

  #save(text: string): void {
    const { directory, maxSavedBytes } = this.#options;
    this.#saved = new SavedOutput(directory, maxSavedBytes);
    this.#saved.write(text);
  }

  #clear(): void {
    this.#head = '';
    this.#tail = [];
    this.#tailLength = 0;
    this.#length = 0;
    this.#saved = undefined;
  }
}
