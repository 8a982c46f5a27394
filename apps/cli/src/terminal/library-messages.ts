import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { styled, type Output } from './output.ts';

/** Most messages that are held back during one question: what causes them may be a hostile server. */
const maxHeld = 100;

/**
 * Prints messages of libraries and of Node as safe lines. They quote servers and files, and come at any time: those of
 * the time of a question are printed after the answer, because below the question they could pass for another one.
 */
export class LibraryMessages {
  readonly #output: Output;
  readonly #held: string[] = [];
  #questions = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Prints a message, or holds it back. */
  print(text: string): void {
    if (this.#questions === 0) this.#output.line([styled('yellow', 'warning:'), ' ', text]);
    else if (this.#held.length < maxHeld) this.#held.push(text);
  }

  /** Holds messages back until the returned object is disposed. */
  hold(): Disposable {
    this.#questions += 1;
    return {
      [Symbol.dispose]: () => {
        this.#questions -= 1;
        if (this.#questions === 0) for (const text of this.#held.splice(0)) this.print(text);
      },
    };
  }
}

/**
 * Replaces the console, with which libraries print: their warnings would reach the terminal as they are, or the
 * standard output, which a program may read. Warnings and errors become messages; the rest is discarded. Returns a
 * function that restores the console.
 */
export function printLibraryMessages(messages: LibraryMessages): () => void {
  const { console: before } = globalThis;
  const stdout = streamOf(() => undefined);
  const stderr = streamOf((text) => messages.print(text.trimEnd()));
  globalThis.console = new Console({ stdout, stderr, colorMode: false });
  return () => (globalThis.console = before);
}

function streamOf(print: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      print(String(chunk));
      done();
    },
  });
}
