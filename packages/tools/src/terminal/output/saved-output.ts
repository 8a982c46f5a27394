import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file that takes the whole text of an output that is too long to show. Written as the text comes and at once, so that
 * memory stays small however much a program writes; named after its content in the end, so that equal outputs share one. A
 * file that cannot be written is given up: the disk may be full, and commands may remove what they like.
 */
export class SavedOutput {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #path: string;
  readonly #hash = createHash('sha256');
  /** Undefined when the file was given up. */
  #file: number | undefined;
  #bytes = 0;

  constructor(directory: string, maxBytes: number) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#path = join(directory, `${randomUUID()}.tmp`);
    this.#orGiveUp(() => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      this.#file = openSync(this.#path, 'wx', 0o600);
    });
  }

  /** Text after the limit is not kept. */
  write(text: string): void {
    const file = this.#file;
    if (file === undefined || this.#bytes >= this.#maxBytes) return;
    const bytes = Buffer.from(text);
    const kept = bytes.subarray(0, this.#maxBytes - this.#bytes);
    this.#hash.update(kept);
    this.#orGiveUp(() => {
      for (let at = 0; at < kept.length; at += writeSync(file, kept, at));
    });
    this.#bytes += kept.length;
  }

  /** Ends the file and returns its path, `terminal_output_<8 hex>.txt`; undefined when it was given up. */
  finish(): string | undefined {
    const path = join(this.#directory, `terminal_output_${this.#hash.digest('hex').slice(0, 8)}.txt`);
    this.#orGiveUp(() => {
      if (this.#file !== undefined) renameSync(this.#path, path);
    });
    if (this.#file === undefined) return undefined;
    closeSync(this.#file);
    return path;
  }

  /** Removes the file. */
  discard(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#path, { force: true });
  }

  #orGiveUp(work: () => void): void {
    try {
      work();
    } catch {
      this.discard();
    }
  }
}
