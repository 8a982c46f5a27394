import { randomBytes } from 'node:crypto';

/**
 * Random numbers by which a shell names the lines that it was sent. Programs of a command cannot know that of its line,
 * as it is neither in a file nor in an environment, and therefore cannot print a marker that ends the command.
 */
export class LineNumbers {
  /** Numbers of the lines, which are numbered from 1 on, by random number; the shell starts with 0. */
  readonly #lines = new Map([[0, 0]]);

  /** Returns a new random number for a line; it is even if the number of the line is. */
  add(line: number): number {
    const random = randomBytes(6).readUIntBE(0, 6) * 2 + (line % 2);
    this.#lines.set(random, line);
    return random;
  }

  /**
   * Returns the line that a random number stands for; undefined if it was never given to a line, or to one before a
   * line that was found: the shell reads lines in order.
   */
  find(random: number): number | undefined {
    const lineNumber = this.#lines.get(random);
    if (lineNumber === undefined) return undefined;
    for (const [other, line] of this.#lines) {
      if (line >= lineNumber) break;
      this.#lines.delete(other);
    }
    return lineNumber;
  }
}
